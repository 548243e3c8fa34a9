// Package probe asks for the traces that an owner leaves beside its locks: its exact
// process, what it started, and the runtime that it declared. Every store asks here
// once the locks of a generation were found free.
//
// # Vocabulary
//
// A trace is a sign of life that is no lock. It is clear when it is certainly absent.
// A suspect is a process that may belong to an owner and proves nothing.
//
// # Guarantees
//
// What could not be asked is unknown and never absent, and only what is certainly
// absent is clear. A pid alone proves nothing, a zombie is dead, and a thread id is
// not a process. Nothing is written, and nothing is ever signalled.
//
// # Non-guarantees
//
// A descendant that runs without the SESSION_OPERATION_ID it was given leaves no
// trace here: the kin lock and [Suspects] are what is left to find it. An answer is of
// one moment; callers compare the record's bytes before and after. The caller answers
// for that the record was made during this boot.
package probe
