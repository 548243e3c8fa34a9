// Package linear has many real processes acquire, release, recover and die on a few
// sessions, and has porcupine look for an order of what they did that explains what
// each was told.
//
// # Vocabulary
//
// An [event] is one thing that a client did, with the times between which it took
// effect. A killed client was told nothing: what became of it is looked up in history
// afterwards, by the kind of owner that it named, which no other has.
//
// # Guarantees
//
// The model knows who is alive: an owner takes its session from a living one, or is
// shown a living one as stranded, in no order at all. No revision is ever issued twice.
package linear
