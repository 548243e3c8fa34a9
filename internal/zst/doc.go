// Package zst writes and reads streams of Zstandard (RFC 8878) without linking a compressor: one costs every start of a
// command, used or not.
//
// # Vocabulary
//
// The [Program] is session-zstd, which stands beside the running command and compresses from its standard input to its
// standard output. A stream is plain where it is not compressed: a frame that every decoder passes over and that says
// so, then one frame of raw blocks with a checksum. Every zstd reads it.
//
// # Guarantees
//
// Writing needs no program: where it is not there, or cannot be started, the stream is plain, and [Writer.Plain] says
// why. What was begun with the program is never finished without it: a program that fails, dies, takes or gives less
// than it should, or stands still for ten minutes fails the stream. It says at its end how much it took and gave, and
// that is compared with what was counted here; its exit status alone proves nothing.
//
// A plain stream is read here. Any byte of it that the writer would not have written is [ErrDamaged]. Everything else is
// handed to the program. That says in words of its own that a stream is damaged; another program that ends likewise is
// not believed. Where the stream is one frame with a checksum, as all are that session-zstd writes, what was given is
// held to that here: a program that gives something else, or more than there can be, has failed.
//
// The program is ended when the context is done, and waited for on every way out. It is started with no environment, in
// the root directory, with three standard files and no other of this process's own, and in a process group of its own:
// what a terminal sends to the command is the command's to answer.
//
// # Non-guarantees
//
// A program that takes everything and gives something else is found out when that is read, and not before. Processes
// that a program started are not ended.
// Time during which this process is stopped itself counts as time during which the program stood still.
package zst
