// Package storetest is the conformance suite that every lease.Store passes.
//
// # Vocabulary
//
// A handle is one way into a store, as another process would open it. A backend is
// what the suite needs to know of an implementation.
//
// # Guarantees
//
// What the comment of lease.Store promises is asked through handles of the same store
// and nothing else, so that a store in a directory and one on a server meet the same
// questions.
//
// # Non-guarantees
//
// That a hold ends with the process of its holder, that a publish survives a power
// failure, and what damage does to a store differ by implementation and are its own
// tests'.
package storetest
