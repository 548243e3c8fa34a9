package procid

import "sync/atomic"

// lasting is what does not change while this process lives, once it could be read.
type lasting[T any] struct{ known atomic.Pointer[T] }

// get returns a copy, or nil for what cannot be read yet.
func (l *lasting[T]) get(read func() *T) *T {
	found := l.known.Load()
	if found == nil {
		if found = read(); found == nil {
			return nil
		}
		l.known.Store(found)
	}
	return new(*found)
}
