package zst

import (
	"context"
	"io"
)

// Options say how to compress.
type Options struct {
	Level   Level
	Threads int // at least 1
}

// Writer writes one stream. It is ended by Close or by GiveUp, and not used by several goroutines at once.
type Writer struct {
	way
	plain error
}

// way is how a stream is written.
type way interface {
	io.Writer
	// Close completes the stream. After an error it is not whole.
	Close() error
	// GiveUp ends a stream that is not to be whole.
	GiveUp()
}

// NewWriter begins a stream to w, which gets bytes until the end of Close or GiveUp, from another goroutine. Ends with
// the cause of ctx when that is done.
func (p Program) NewWriter(ctx context.Context, w io.Writer, o Options) (*Writer, error) {
	packing, err := p.pack(ctx, w, o)
	if err == nil {
		return &Writer{way: packing}, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	plain, failed := newPlainWriter(w)
	return &Writer{plain, err}, failed
}

// Plain returns why the stream is not compressed, a [*ProgramError], or nil.
func (w *Writer) Plain() error { return w.plain }
