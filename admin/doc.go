// Package admin is what people do to sessions after a crash: look, list, watch,
// recover by exact revision, and check the store.
//
// # Vocabulary
//
// A [Target] names a session by its key or, where there is no key to type, by its
// digest. [Inspect] says what a session is and what can be typed next. A [Recovery]
// is what a person asks for: which session, the revision that they looked at, and
// what they [Consent] to. Without consent it is refused with a [Preview] of what it
// would do; with it, it leaves an idle record with a marker that says what is not
// known, and returns a [Receipt].
//
// # Guarantees
//
// A recovery ends the ownership that one exact revision describes, and no other
// (I6). No consent overrides an owner that a probe can see (I7). What is refused or
// previewed changes no byte of the store (I8). A recovery whose answer was lost can
// be asked for again with the same arguments: it returns the same receipt.
//
// A worktree or tracker that the record names is saved in a snapshot (package evidence)
// before its session is freed, and the marker keeps the hash of that snapshot's
// manifest. If the snapshot fails, or something in the sources moved while it was taken,
// nothing is freed; a person can agree to either.
//
// Every refusal is a [*lease.Refusal], possibly wrapped, reachable with errors.As.
// Its inspection carries the next commands, as argument vectors that work in the
// state that it describes; none of them removes a file.
//
// # Non-guarantees
//
// A recovery ends an ownership, not a process. That nothing of the displaced owner
// is left, and what it achieved, is exactly what the marker says is not known.
// Recoveries of one session that save at the same time each keep their snapshot; the
// marker names the one of the recovery that was first.
package admin
