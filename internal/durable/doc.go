// Package durable replaces a record so that a crash at any moment leaves either the
// old one or the new one, whole.
//
// # Vocabulary
//
// A [Dir] is an open directory, as far as a writer needs one; package crashdisk has
// its twin in memory that forgets what was not synced. A [Publication] is one record
// about to replace another, and [Publish] is the only code that renames one. [Rounds] are
// waits for the disk that many publishes share.
//
// # Guarantees
//
// Publish returns nil only when the new record and its place in history are durable.
// An error that does not wrap [ErrUnknown] is definite: the old record is in place
// and no temporary is left, unless a joined clean-up failure says so. A failed fsync
// is never retried, since the kernel may have dropped the pages it could not write.
//
// # Non-guarantees
//
// What a disk acknowledged and lost is lost. Nothing here decides who may publish:
// the caller's check does, under the directory's lock. Cooperating writers are
// serialised by flock, not strangers.
package durable
