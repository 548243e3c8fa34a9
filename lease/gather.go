package lease

// Gatherer is a [Store] in which many publishes at once can wait for the disk together,
// instead of each for itself. Each is durable when it returns, as in any store.
type Gatherer interface {
	// Gather returns the same store for many at once, until done is called after the last of
	// them. What is held in one of the two is published in the same one.
	Gather() (gathered Store, done func())
}

// Gather returns a store for many publishes at once, which is s where that knows no
// better.
func Gather(s Store) (gathered Store, done func()) {
	if g, ok := s.(Gatherer); ok {
		return g.Gather()
	}
	return s, func() {}
}
