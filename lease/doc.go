// Package lease acquires and releases agents' sessions on behalf of a host.
//
// # Vocabulary
//
// A [Store] keeps records and locks as bytes and knows no decisions. [Acquire] makes
// the caller the owner of a session and returns a [Lease]; [Lease.Release]
// acknowledges that nothing the owner started can still touch the session;
// [Lease.Abandon] leaves it stranded on purpose. [Inspect] answers what a session is
// without touching it.
//
// # Guarantees
//
// A lease in hand means that the active record was durable before Acquire returned
// (I5), that no other owner existed at that moment, and that none comes after it
// until this owner releases or a person forces the exact revision (I6). A refused or
// cancelled acquire changes nothing, or has put back what it changed (I8). A refusal
// is a [*Refusal] and carries the [Inspection] that it was decided on.
//
// # Non-guarantees
//
// A directory store knows the machines that share its kernel; on another machine an
// owner is unproven, never gone. Losing a lease (somebody removed the lock's file and
// forced the session) is noticed within [WatchInterval], not at once: whatever the
// agent writes to should refuse a smaller generation. This package has no way to
// recover a session; that is a person's decision and lives in package admin.
package lease
