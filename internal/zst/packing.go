package zst

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
)

// packing is a stream that the program compresses.
type packing struct {
	*child
	*bufio.Writer // to feed
	taken         int64
	given         *sink
}

// feedSize is how many bytes are handed to the program at once: a tar is written in pieces of 512.
const feedSize = 128 << 10

func (p Program) pack(ctx context.Context, to io.Writer, o Options) (*packing, error) {
	c, err := p.start(ctx, throughPipes, Pack, "--level", string(o.Level), "--threads", strconv.Itoa(max(1, o.Threads)))
	if err != nil {
		return nil, err
	}
	w := &packing{child: c, given: &sink{to: to}}
	w.Writer = bufio.NewWriterSize((*feed)(w), feedSize)
	c.drained = make(chan struct{})
	go w.drain()
	return w, nil
}

// throughPipes gives a program two pipes, of which the first is its standard input.
func throughPipes(cmd *exec.Cmd) (p pipes, err error) {
	stdin, feed, err := os.Pipe()
	if err != nil {
		return p, err
	}
	p = pipes{files{feed}, files{stdin}}
	outlet, stdout, err := os.Pipe()
	if err != nil {
		return p, err
	}
	cmd.Stdin, cmd.Stdout = stdin, stdout
	return pipes{append(p.ours, outlet), append(p.theirs, stdout)}, nil
}

// drain passes on what the program gives. Where that fails it reads no more, and the program dies of it.
func (w *packing) drain() {
	outlet := w.pipes.ours[1]
	_, _ = io.Copy(w.given, outlet) // the sink knows why it failed, and what is missing is missed
	outlet.Close()
	close(w.drained)
}

// feed writes to the program.
type feed packing

func (f *feed) Write(p []byte) (int, error) {
	n, err := f.while(func() (int, error) { return f.pipes.ours[0].Write(p) })
	f.taken += int64(n)
	if err != nil {
		err = (*packing)(f).explain(err)
	}
	return n, err
}

// explain says why the program takes no more: how it ended says more than a broken pipe.
func (w *packing) explain(err error) error {
	if told := w.conclude(); told != nil {
		return told
	}
	return w.failed(err)
}

// conclude ends the stream: the first failure is the one that is told.
func (w *packing) conclude() error {
	err := w.settle(func() Receipt { return Receipt{w.taken, w.given.bytes} })
	if w.given.err != nil {
		return w.given.err // the program may have died of it
	}
	return err
}

func (w *packing) Close() error {
	if err := w.Flush(); err != nil {
		w.giveUp()
		return err
	}
	return w.conclude()
}

func (w *packing) GiveUp() { w.giveUp() }

// sink passes on what the program gives, and remembers why that failed: the program can only tell that nobody reads.
type sink struct {
	to    io.Writer
	bytes int64
	err   error
}

func (s *sink) Write(p []byte) (n int, err error) {
	n, s.err = s.to.Write(p)
	s.bytes += int64(n)
	return n, s.err
}
