// Package check judges what is on disk.
//
// # Vocabulary
//
// A [History] is what the users of a store were told: which revisions were published,
// and how many more may have been. A [Violation] is a fact on disk that contradicts an
// invariant or the history.
//
// # Guarantees
//
// Of the code under test, this package knows the parser of a record and nothing else: it
// reads a directory with package os alone, so that a defect in how a store is read or
// written cannot hide itself.
//
// # Non-guarantees
//
// It reads a store that nobody is changing meanwhile.
package check
