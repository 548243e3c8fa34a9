// Package journal keeps the memory of a store in one bbolt file: the records that
// were published and replaced since, and what administrators did.
//
// # Vocabulary
//
// A [Journal] is a file and where it is; it holds nothing open. A [Record] is a record
// of a session with its place in history: sessions apart, then by generation, then in
// the order of the chain. A stray is a record that never came into force. An [Event] is
// what an administrator did. A [Batch] is appended in one transaction.
//
// # Guarantees
//
// What [Journal.Append] returned nil for is durable and was read back. Appending the
// same again changes nothing, and makes it as durable as the first time should have.
// No operation waits for longer than [LockWait], and none is under way between calls: a
// reader takes the file's lock for one batch at a time. A file that is damaged,
// truncated, locked, of the wrong kind or not ours to read is an [*Error], not the end
// of the process: what the memory mapping raises is caught. Reading creates nothing; a
// journal that does not exist is empty.
//
// # Non-guarantees
//
// bbolt has no checksums but on its two meta pages. Damage elsewhere is found where it
// is met, or by [Journal.Check]; a free list that is damaged in a plausible way can cost
// pages that are in use. Records carry their own revision, so none is ever mistaken.
package journal
