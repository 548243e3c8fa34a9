package packfile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
)

// Span is where a pack lies in a file.
type Span struct {
	From io.ReaderAt
	At   int64 // offset of the pack's first byte
	Size int64 // up to and with the pack's own checksum
}

// Options of a check.
type Options struct {
	Threads int
	Shallow map[string]bool         // names, in binary, of commits whose parents are not there
	Read    func(packedBytes int64) // called, from several threads, as the check goes on; may be nil
}

// Check proves that the pack in s is whole and has exactly the objects of x. It returns an error that wraps
// ErrCorrupt where it is not.
func Check(ctx context.Context, s Span, x *Index, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := &checker{pack: s, index: x, options: o, ctx: ctx, bases: make([]int32, x.Len())}
	if err := c.readEnds(); err != nil {
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { c.stop(cancel, c.checkSum()) })
	c.each(cancel, c.chunks(), c.checkChunk)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	roots, err := c.plant()
	if err != nil {
		return err
	}
	c.each(cancel, roots, c.checkChain)
	if err := context.Cause(ctx); err != nil {
		return err
	}
	wg.Wait()
	return errors.Join(context.Cause(ctx), c.countDeltas())
}

type checker struct {
	pack    Span
	index   *Index
	options Options
	ctx     context.Context

	bases    []int32 // by place in order: place of the base of a delta, else whole
	children [][]int32
	mu       sync.Mutex
	resolved int // deltas
}

const whole = -1

const packHeader = 12

// readEnds checks what comes before and after the objects.
func (c *checker) readEnds() error {
	b := make([]byte, packHeader)
	if _, err := c.pack.From.ReadAt(b, c.pack.At); err != nil {
		return corrupt("no header: %v", err)
	}
	want := []byte{'P', 'A', 'C', 'K', 0, 0, 0, 2, byte(c.index.Len() >> 24), byte(c.index.Len() >> 16), byte(c.index.Len() >> 8), byte(c.index.Len())}
	if !bytes.Equal(b, want) {
		return corrupt("header is %x, not %x", b, want)
	}
	first := int64(packHeader)
	if c.index.Len() > 0 {
		first = c.start(0)
	}
	if first != packHeader {
		return corrupt("first object at %d", first)
	}
	return nil
}

// checkSum compares the pack's own checksum, which covers the few bits that no object's content depends on.
func (c *checker) checkSum() error {
	sum := c.index.format.New()
	body := c.pack.Size - int64(c.index.format.Size)
	r := io.NewSectionReader(c.pack.From, c.pack.At, c.pack.Size)
	for n := int64(0); n < body && c.ctx.Err() == nil; n += sumChunk {
		if _, err := io.CopyN(sum, r, min(sumChunk, body-n)); err != nil {
			return corrupt("%v", err)
		}
	}
	if c.ctx.Err() != nil {
		return nil
	}
	trailer, err := io.ReadAll(r)
	if err == nil && !bytes.Equal(trailer, sum.Sum(nil)) {
		err = corrupt("it does not match its checksum")
	}
	return err
}

// sumChunk is how many bytes are hashed between two looks at the context.
const sumChunk = 8 << 20

func (c *checker) start(place int) int64 { return c.index.starts[c.index.order[place]] }

func (c *checker) end(place int) int64 {
	if place+1 < c.index.Len() {
		return c.start(place + 1)
	}
	return c.pack.Size - int64(c.index.format.Size)
}

// chunkSize is how many packed bytes a thread takes at a time.
const chunkSize = 4 << 20

// chunks returns the first place of each chunk.
func (c *checker) chunks() []int32 {
	var firsts []int32
	limit := int64(-1)
	for place := range c.index.Len() {
		if c.start(place) >= limit {
			firsts, limit = append(firsts, int32(place)), c.start(place)+chunkSize
		}
	}
	return firsts
}

// each calls do with every item, from as many threads as the options say, until one fails.
func (c *checker) each(cancel context.CancelCauseFunc, items []int32, do func(*inflater, int32) error) {
	var wg sync.WaitGroup
	next := make(chan int32)
	for range max(1, c.options.Threads) {
		wg.Go(func() {
			f := newInflater(c.pack.Size)
			for item := range next {
				c.stop(cancel, do(f, item))
			}
		})
	}
	for _, item := range items {
		if c.ctx.Err() != nil {
			break
		}
		next <- item
	}
	close(next)
	wg.Wait()
}

func (c *checker) stop(cancel context.CancelCauseFunc, err error) {
	if err != nil {
		cancel(err)
	}
}

func (c *checker) read(bytes int64) {
	if c.options.Read != nil {
		c.options.Read(bytes)
	}
}
