// Package admin is what people do to sessions after a crash: look, list, watch,
// recover by exact revision, tell history, prune, and check the store.
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
// [History] tells every record of a session, [HistoryOfAll] those of a whole store: an
// [Entry] is a record that was published, something that an administrator did, or a gap.
// The outbox is what of it is still in files of the session; [Archive] and [Prune] move
// that into the archive. A stray is a record that never came into force, a leftover a
// file that nobody needs any more. [Watch] yields each [Change] of any session, and
// [Doctor] what is wrong with a store, as findings with what to type.
//
// [Reconcile] is a pass over a store: a row for each session, with what a pass does about
// it and what it leaves to a person. A namer is a session whose record names a runtime.
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
// History is told without a change, whole or with a gap in the place of what is missing
// (I11). A record is durable in the archive before its file is removed, so that killed at
// any point none is lost and none is told twice. What is lost for good can be
// acknowledged. A file of history that is damaged for good is moved into quarantine by a
// prune, byte for byte. Prune removes no record and nothing that somebody, a stopped
// process too, may still need. An archive that is missing, damaged, locked or not ours
// stops nobody: what could not be read is an error beside the rest. A watch that goes on
// from the time of a change that another one told misses nothing, and may tell some of it
// again.
//
// Every refusal is a [*lease.Refusal], possibly wrapped, reachable with errors.As.
// Its inspection carries the next commands, as argument vectors that work in the
// state that it describes; none of them removes a file.
//
// # Non-guarantees
//
// A recovery ends an ownership, not a process. That nothing of the displaced owner
// is left is exactly what the marker says is not known; what it achieved is what somebody
// said (package settle).
//
// Between a pass's last look and the end of a runtime that it destroys lie moments, in
// which a session can be acquired that takes over that very runtime: it is lost to it.
//
// The archive is trusted to be of its store: records carry their hashes, events do not.
// Recoveries of one session that save at the same time each keep their snapshot; the
// marker names the one of the recovery that was first.
package admin
