// Package dirstore keeps sessions in a directory of a local file system.
//
// # Vocabulary
//
// A store is a directory that the marker holdfast.store names as one; a half-made
// store is one whose maker has not come to the marker. Each session has a directory
// named after the digest of its key. Of generation G, life.G and kin.G are the files
// whose locks are the life and the kin lock, next.G.json is a publish in flight;
// rev.R.json is the record whose revision is R. What a generation leaves behind and
// nobody needs is a leftover.
//
// # Guarantees
//
// Those of lease.Store. A reader creates nothing and takes shared locks only. Nothing
// that stands in the place of a file of ours is followed, waited for, truncated or
// written through. Modes do not depend on the umask. Once generation G is published
// its life lock's name is never used again, and only its publisher removes it. A Store that
// has met a store makes no other one in its place, nor takes sessions for vacant, when it is
// moved away: it may have owners.
//
// # Non-guarantees
//
// A maker that is killed between the creation of a directory and the setting of its
// mode, under a umask that takes the owner's own permissions, leaves one that its
// owner has to open up: the error says how. A user who writes into his own store by hand is not stopped. Locks are trusted on
// local file systems only, and there across the processes of one kernel; elsewhere a
// second descriptor must prove that a lock excludes, and that proves this machine.
package dirstore
