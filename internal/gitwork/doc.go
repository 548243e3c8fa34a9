// Package gitwork counts, captures and restores the work in a git working tree without touching it.
//
// # Vocabulary
//
// A [Repository] is a working tree with its git directory; a linked worktree shares a common directory with others.
// [Count] says what would be lost with it: the [Risk]. [Capture] writes its git part, some dozen artefacts, into an
// open directory; [Verify] reads them back, and [Restore] rebuilds the repository from them elsewhere. The shadow is a
// private git directory with a copy of everything in the source's but objects, under a configuration of our own. A
// nested repository is a submodule or a repository that merely lies inside.
//
// # Guarantees
//
// Nothing in the source is written, and no git process reads its configuration: git works in the shadow, where the
// attributes that start programs are overridden, hooks, fsmonitor, credential helpers and the like are not
// configured, and submodules are not entered. (`git config --file` reads a copy of the configuration as data.)
// What moved while it was read is listed: every file and directory is looked at again at the end, and a change of
// size, mode, inode, modification or change time counts.
//
// A capture keeps every object that anything in the git directory names, and every loose one; the bundle is read back
// object by object before it counts. Every artefact, and every directory made for them, is fsynced here, by
// [Capture] itself, before it returns. Restore gives back worktree, index, references, reflogs, stashes and the state
// of an operation in progress byte for byte, and compares before it says so.
//
// Archives are compressed by session-zstd where that stands beside the running command, and written uncompressed, as
// streams that every zstd reads, where it does not ([Captured] says so). See package zst for what is believed of it.
//
// Nothing waits for ever: what is no regular file is not opened, a repository that rests on such a thing is refused by its
// name, and a git that does not end within ten minutes in a count, or two hours in a capture or a restore, is ended. What
// it was to tell is then missing, and a count fails with [ErrEndless]; a capture keeps the files all the same.
//
// Memory grows with the number of paths, by some hundred bytes each, and with the largest objects that are deltas;
// never with the size of files.
//
// # Non-guarantees
//
// Extended attributes, access control lists, owners, hard links, sockets and devices are not kept; [Captured] lists
// those that were met. A capture of a tree that is being written to is as read, not a moment in time. Access times may
// move on files of other users. Content filters are not run, so a file that a filter would find unchanged counts as
// changed once its time differs from the index. References kept as a reftable are refused.
package gitwork
