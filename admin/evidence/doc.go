// Package evidence keeps everything that is known of a session, and the work in its working tree and tracker, in one
// directory that proves itself.
//
// # Vocabulary
//
// A snapshot is such a directory. [Take] makes one of an inspection and of three sources, each of which may be
// missing: the worktree, the tracker (an SQLite database) and the transcript. The manifest is MANIFEST.sha256, which
// names every other file of the snapshot; its own hash stands for the whole. A finding is what a person must know before
// relying on a snapshot: something moved in a source while it was read, or a tracker is no database. [Verify] compares
// a snapshot with its manifest, and [Restore] rebuilds the repository in it elsewhere.
//
// # Guarantees
//
// Nothing in a source is written, and nothing that a source names is run. A snapshot appears under its name whole and
// durable, or not at all: it is built beside that place, in a directory whose name begins with a dot and goes on with
// the snapshot's, [Marker] and random letters. What a killed process leaves is such a directory; nothing reads it, it may
// be removed, and the next snapshot of that name, or of that session where nobody chose the name, removes it once it is
// whole itself. A directory that has something in it is never written to.
//
// A snapshot with findings is complete as far as the sources could be read, and it is kept.
//
// README.txt in every snapshot says how to verify and restore it without this package.
//
// # Non-guarantees
//
// The manifest tells of damage, not of somebody who replaces a file and the manifest too: keep the hash of the manifest
// elsewhere, as a forced recovery's marker does. What is beyond the scope of a snapshot stands in its snapshot.json.
// How much space one needs is an estimate.
package evidence
