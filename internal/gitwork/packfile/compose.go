package packfile

import (
	"compress/zlib"
	"context"
	"errors"
	"hash"
	"io"
)

// Part is a pack, with its index, that goes into another one as it is.
type Part struct {
	Span
	Index *Index
}

// Loose is an object in a file of its own.
type Loose struct {
	Name []byte // in binary
	Open func() (io.ReadCloser, error)
}

// Compose writes one pack of a self-contained part, or none, and of loose objects, and returns its index. Loose objects
// are not compressed again: that would cost more time than all the rest. Each is compared with its name on the way. It
// returns an error that wraps ErrCorrupt for a loose object that is not what its name says.
func Compose(ctx context.Context, w io.Writer, f Format, part *Part, all []Loose, o Options) (*Index, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &composer{format: f, to: w, sum: f.New(), options: o}
	if err := c.begin(part, len(all)); err != nil {
		return nil, err
	}
	entries := c.prepare(ctx, all)
	for _, l := range all {
		if err := c.add(l, <-<-entries); err != nil {
			return nil, err
		}
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
	}
	if _, err := w.Write(c.sum.Sum(nil)); err != nil {
		return nil, err
	}
	return newIndex(f, c.names, c.starts), nil
}

type composer struct {
	format  Format
	to      io.Writer
	sum     hash.Hash
	at      int64
	options Options
	names   [][]byte
	starts  []int64

	streaming inflater
	stored    *zlib.Writer
}

func (c *composer) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.sum.Write(p[:n])
	c.at += int64(n)
	return n, err
}

// begin writes the header and the part's entries. Deltas name their bases by distance, so that a run of entries can
// stand anywhere.
func (c *composer) begin(part *Part, more int) error {
	n := more
	if part != nil {
		n += part.Index.Len()
	}
	if _, err := c.Write([]byte{'P', 'A', 'C', 'K', 0, 0, 0, 2, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}); err != nil {
		return err
	}
	c.stored, _ = zlib.NewWriterLevel(nil, zlib.NoCompression) // the level is a valid one
	c.streaming = *newInflater(readAhead)
	if part == nil {
		return nil
	}
	for i := range part.Index.Len() {
		c.names, c.starts = append(c.names, part.Index.name(i)), append(c.starts, part.Index.starts[i])
	}
	body := part.Size - packHeader - int64(c.format.Size)
	_, err := io.CopyBuffer(onlyWriter{c}, io.NewSectionReader(part.From, part.At+packHeader, body), make([]byte, chunkSize))
	return err
}

// prepared is a loose object's entry, made ahead; without bytes, it is to be streamed.
type prepared struct {
	entry []byte
	err   error
}

// prepare makes the entries of small objects from as many threads as the options say, and hands them out in order.
func (c *composer) prepare(ctx context.Context, all []Loose) <-chan chan prepared {
	threads := max(1, c.options.Threads)
	inOrder := make(chan chan prepared, 16*threads)
	type job struct {
		l    Loose
		done chan prepared
	}
	jobs := make(chan job)
	go func() {
		defer close(jobs)
		for _, l := range all {
			j := job{l, make(chan prepared, 1)}
			select {
			case inOrder <- j.done:
			case <-ctx.Done():
				return
			}
			select {
			case jobs <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range threads {
		go func() {
			var h holder
			for j := range jobs {
				entry, err := h.entry(c.format, j.l)
				j.done <- prepared{entry, err}
			}
		}()
	}
	return inOrder
}

func (c *composer) add(l Loose, p prepared) error {
	if p.err != nil {
		return p.err
	}
	start := c.at
	if err := c.write(l, p.entry); err != nil {
		return err
	}
	c.names, c.starts = append(c.names, l.Name), append(c.starts, start)
	if c.options.Read != nil {
		c.options.Read(c.at - start)
	}
	return nil
}

func (c *composer) write(l Loose, entry []byte) error {
	if len(entry) > 0 {
		_, err := c.Write(entry)
		return err
	}
	opened, err := c.streaming.openLoose(c.format, l.Open)
	if err != nil {
		return err
	}
	return errors.Join(opened.entry(c, &c.streaming, c.stored, l.Name), opened.file.Close())
}
