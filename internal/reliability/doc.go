// Package reliability proves, on the real command and the real store, that whatever
// happens, what a store says is the truth.
//
// # Vocabulary
//
// A lane is one way to do harm: kill, fail, power off, preempt, contend. Each is a
// package below this one, does its harm to real processes or real bytes, and has the
// outcome judged by package check, which takes a directory and a [check.History] of
// what users were told. The actor is the real command, its main goroutine locked to its
// main thread, so that strace can count its calls. Package soak runs the lanes from
// one command line.
//
// # Guarantees
//
// A lane prints what it covered in figures, takes its seed from the command line and
// prints it. Its tests run a few rounds of it every day; nothing is skipped silently.
// No production code imports any of this.
//
// # Non-guarantees
//
// A disk that acknowledges a flush and loses it, and network file systems, are not
// covered. A lane that found nothing proves nothing about what it did not do.
package reliability
