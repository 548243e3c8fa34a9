// Package sqlitecopy takes a faithful copy of an SQLite database that somebody may be writing, and brings a private
// copy of it into a form that any SQLite reads.
//
// # Vocabulary
//
// The source is a database file with what lies beside it: its write-ahead log (-wal), its rollback journal (-journal)
// and the index of its log (-shm). The raw copy is byte for byte what was read of the first three; it is the evidence.
// A guard is what makes the raw copy one moment of the source: nothing moved while it was read, or locks that SQLite
// itself respects kept it still. The normal form is db.sqlite, one file without log or journal, made from a private
// copy of the raw one.
//
// # Guarantees
//
// No SQLite ever opens the source. It is opened for reading only, and no byte, time of modification, name or inode of
// it or of its directory changes; nothing is created there. What is taken is a state that some transaction of the
// source left behind, every commit before it included and none in part, as long as all its writers use the locks that
// SQLite uses by default on the platform.
//
// A writer that waits for locks for 5 s never sees SQLITE_BUSY because of a copy: a lock that stands in the way of a
// commit is held for less than that. A write-ahead log can grow meanwhile, since it cannot be checkpointed, and its
// last user leaves -wal and -shm in place if it goes just then.
//
// Nothing blocks: what is not a regular file is refused before it is opened, and locks are asked for, not waited for.
// Memory does not grow with the size of the database, but one row of it is held at a time, up to three times. SQLite
// writes nowhere but in the directory of the copy. Every artefact and its directory are fsynced before [Take] returns.
//
// # Non-guarantees
//
// Writers with nolock=1, another VFS, or locks that a network file system does not carry are noticed only by the change
// of a size or time. Copies guarded by that alone rest on the clock of the file system of this machine. A source whose
// writer holds the exclusive lock for ever and keeps its journal in memory may be in the middle of a transaction, which
// nothing on disk tells: there is a note then. VACUUM may number anew the rows of a table without an INTEGER PRIMARY
// KEY; the raw copy has the old numbers. Of a database that is made to crash SQLite, or has a row that its memory of
// 4 GiB does not hold, there is the raw copy only. Locks are known on Linux only: elsewhere a source that is being
// written counts as busy.
package sqlitecopy
