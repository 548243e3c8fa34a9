// Package preempt stops a process after each of its system calls, has another one do
// something to its end, and lets the first go on.
//
// # Vocabulary
//
// A stop is a workload and one of its calls that have to do with the store. A schedule is
// a stop and what another process does meanwhile. One preemption is what most races
// need; every one of them is tried.
//
// # Guarantees
//
// The first one is the real command. It is traced from where its language's runtime is
// ready, so that a stop costs little, and stands still as a whole: every thread of it.
// Where the other one only looks, the first goes on to its next stop afterwards; that the
// other changed no byte is part of what is judged, so that it is as if each were alone.
//
// # Non-guarantees
//
// While others look, only the thread of the first one that does its work stands still.
package preempt
