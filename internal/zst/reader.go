package zst

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// ErrDamaged is returned for a stream that is not whole, is none, or asks for more memory than it may.
var ErrDamaged = errors.New("the compressed stream is damaged")

// NewReader reads the stream that is the whole of a regular file, of which nothing was read. Its window, which has to
// be in memory, may have that many bytes. After io.EOF the stream has proved whole; any other error is one that wraps
// [ErrDamaged], a [*ProgramError], the cause of ctx or what the system said. The caller closes both.
func (p Program) NewReader(ctx context.Context, f *os.File, window int64) (io.ReadCloser, error) {
	var head [len(mark)]byte
	n, err := io.ReadFull(f, head[:])
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return nil, err
	case string(head[:n]) == mark:
		return newPlainReader(bufio.NewReaderSize(f, feedSize)), nil
	case strings.HasPrefix(mark, string(head[:n])):
		return nil, damaged("it ends in its beginning")
	}
	u, err := p.unpack(ctx, f, window)
	if err != nil {
		return nil, err
	}
	return buffered{bufio.NewReaderSize(u, feedSize), u}, nil
}

// buffered reads ahead of what closes.
type buffered struct {
	io.Reader
	io.Closer
}

// unpacking is a stream that the program reads.
type unpacking struct {
	*child
	size  int64 // of the file
	frame frame
	known bool // what the frame is
	given int64
	sum   *xxhash.Digest // of that
	ended error
}

func (p Program) unpack(ctx context.Context, f *os.File, window int64) (*unpacking, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	fromFile := func(cmd *exec.Cmd) (pipes, error) {
		outlet, stdout, err := os.Pipe()
		cmd.Stdin, cmd.Stdout = f, stdout
		return pipes{files{outlet}, files{stdout}}, err
	}
	c, err := p.start(ctx, fromFile, Unpack, "--window", strconv.FormatInt(window, 10))
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	if err != nil {
		return nil, err
	}
	u := &unpacking{child: c, size: info.Size(), sum: xxhash.New()}
	u.frame, u.known = frameOf(f, u.size)
	return u, nil
}

func (u *unpacking) Read(p []byte) (int, error) {
	if u.ended != nil {
		return 0, u.ended
	}
	n, err := u.while(func() (int, error) { return u.pipes.ours[0].Read(p) })
	u.given += int64(n)
	u.sum.Write(p[:n]) // never fails
	switch {
	case u.known && u.given > u.frame.most:
		u.giveUp()
		u.ended = u.failed(fmt.Errorf("it gave more than the %d bytes that the stream can have", u.frame.most))
	case err != nil: // it gives no more, and how it ended says why
		u.ended = u.conclude()
	}
	return n, u.ended
}

func (u *unpacking) conclude() error {
	err := u.settle(func() Receipt { return Receipt{u.size, u.given} })
	var failed *ProgramError
	switch {
	case err == nil:
		return u.compare()
	case errors.As(err, &failed) && u.cmd.ProcessState.ExitCode() == ExitDamaged && strings.HasPrefix(failed.Said, FoundDamage):
		return damaged("%s", strings.TrimLeft(strings.TrimPrefix(failed.Said, FoundDamage), ": "))
	}
	return err
}

// compare holds what the program gave to the checksum that the stream ends with. The program has done that as well, if
// it is the one that it should be.
func (u *unpacking) compare() error {
	if u.known && u.frame.sum != uint32(u.sum.Sum64()) {
		return u.failed(errors.New("the stream has the checksum of something else than what it gave"))
	}
	return io.EOF
}

// Close ends a stream of which no more is wanted.
func (u *unpacking) Close() error {
	u.giveUp()
	return nil
}
