package lease

// Gatherer is a [Store] in which many publishes at once can wait for the disk together,
// instead of each for itself. Each is durable when it returns, as in any store.
type Gatherer interface {
	// Gather returns the same store for many at once, until done is called after the last of
	// them, or nil where it cannot. What is held in one of the two is published in the same
	// one.
	Gather() (gathered Store, done func())
}

// Gather returns a store for many publishes at once, and whether they wait for the disk
// together there. It is s itself where they do not.
func Gather(s Store) (gathered Store, together bool, done func()) {
	if g, ok := s.(Gatherer); ok {
		if gathered, done := g.Gather(); gathered != nil {
			return gathered, true, done
		}
	}
	return s, false, func() {}
}
