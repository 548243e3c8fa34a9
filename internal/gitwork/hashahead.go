package gitwork

import "context"

// hashing is an entry whose file is being read by another goroutine until done is closed.
type hashing struct {
	e    entry
	done chan struct{}
	sums sums
	read bool // whether it was read at all
	err  error
}

// readAhead is how many files may have been read before the first of them was dealt with.
const readAhead = 128

// hashAhead passes the entries on in order while several goroutines read ahead. It stops when ctx is done.
func hashAhead(ctx context.Context, entries []entry, read func(entry) (sums, bool, error), threads int) <-chan *hashing {
	inOrder, toRead := make(chan *hashing, readAhead), make(chan *hashing)
	go func() {
		defer close(inOrder)
		defer close(toRead)
		for _, e := range entries {
			h := &hashing{e: e, done: make(chan struct{})}
			select {
			case toRead <- h:
			case <-ctx.Done():
				return
			}
			select {
			case inOrder <- h:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range max(1, threads) {
		go func() {
			for h := range toRead {
				h.sums, h.read, h.err = read(h.e)
				close(h.done)
			}
		}()
	}
	return inOrder
}
