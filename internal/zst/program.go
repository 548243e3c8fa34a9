package zst

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"holdfast/internal/beside"
	"holdfast/internal/tail"
)

// Program is where session-zstd stands, if it does.
type Program struct {
	path string
	err  error // why it is not known
}

// Beside returns the program that is installed together with the running one.
func Beside() Program {
	path, err := beside.Path(Name)
	return Program{path, err}
}

// At returns the program at an absolute path.
func At(path string) Program { return Program{path: path} }

// ProgramError is returned when the program could not be started, or did not do what it was asked for.
type ProgramError struct {
	Path string
	Err  error  // what the system said, or how it ended
	Said string // the end of what it said; or ""
}

func (e *ProgramError) Error() string {
	s := fmt.Sprintf("%q: %v", e.Path, e.Err)
	if e.Said != "" {
		s += ": " + e.Said
	}
	return s
}

// Unwrap returns what the system said.
func (e *ProgramError) Unwrap() error { return e.Err }

// limits are how long a program may neither take nor give anything while it is waited for, and how long what it gave may
// take to arrive after it has ended: a process that it left behind could keep the pipe open for ever. A variable for
// tests.
var limits = struct{ Still, Late time.Duration }{10 * time.Minute, time.Minute}

var (
	errStill   = errors.New("it stood still")
	errGivenUp = errors.New("given up")
)

// child is a program that was started. Whoever started it calls end, once or more.
type child struct {
	path    string
	cmd     *exec.Cmd
	pipe    *os.File // our end
	ctx     context.Context
	cancel  context.CancelCauseFunc
	waiting *time.Timer // runs while the program is waited for
	said    *tail.Tail
	over    bool
	err     error // how it ended
}

// start starts the program with the other end of a pipe of ours, which connect makes one of its standard files.
func (p Program) start(ctx context.Context, connect func(*exec.Cmd) (ours, theirs *os.File, err error), args ...string) (*child, error) {
	if p.err != nil {
		return nil, &ProgramError{Path: p.path, Err: p.err}
	}
	c := &child{path: p.path, said: tail.Of(1 << 10)}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.cmd = exec.CommandContext(c.ctx, p.path, args...)
	c.cmd.Env, c.cmd.Dir = []string{}, "/"
	c.cmd.Stderr = c.said
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.Cancel = c.stop
	c.cmd.WaitDelay = limits.Late
	ours, theirs, err := connect(c.cmd)
	if err != nil {
		c.cancel(errGivenUp)
		return nil, &ProgramError{Path: p.path, Err: err}
	}
	c.pipe = ours
	err = c.cmd.Start()
	theirs.Close() // the program has its own, or there is none
	if err != nil {
		c.cancel(errGivenUp)
		c.pipe.Close()
		return nil, &ProgramError{Path: p.path, Err: bare(err)}
	}
	c.waiting = time.AfterFunc(limits.Still, func() { c.cancel(fmt.Errorf("%w for %v", errStill, limits.Still)) })
	c.waiting.Stop()
	return c, nil
}

// bare returns what the system said of a path, without the path.
func bare(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// stop ends the process when its context is done, and what waits here for the other end of the pipe: a process that the
// program started may have that too.
func (c *child) stop() error {
	c.pipe.Close() // nothing that was written is lost by it: it is lost anyway
	return c.cmd.Process.Kill()
}

// while does what waits for the program, with patience.
func (c *child) while(do func() (int, error)) (int, error) {
	c.waiting.Reset(limits.Still)
	defer c.waiting.Stop()
	return do()
}

// end closes our end of the pipe, waits until the process is gone, and returns how that went: nil where its status is 0.
func (c *child) end() error {
	if c.over {
		return c.err
	}
	c.over = true
	c.pipe.Close() // on a pipe this cannot fail
	_, err := c.while(func() (int, error) { return 0, c.cmd.Wait() })
	cause := context.Cause(c.ctx)
	c.cancel(errGivenUp)
	switch {
	case errors.Is(cause, errStill):
		c.err = c.failed(cause)
	case cause != nil:
		c.err = cause
	case err != nil:
		c.err = c.failed(err)
	}
	return c.err
}

func (c *child) failed(err error) *ProgramError {
	return &ProgramError{Path: c.path, Err: err, Said: strings.TrimSpace(c.said.String())}
}

// settle compares what a program that ended well says that it did with what was seen of it here, until it had ended.
func (c *child) settle(seen func() Receipt) error {
	if err := c.end(); err != nil {
		return err
	}
	if r := seen(); c.said.String() != r.String() {
		c.err = c.failed(fmt.Errorf("it ended without having taken %d bytes and given %d", r.Taken, r.Given))
	}
	return c.err
}

// giveUp ends the process, whatever it is at.
func (c *child) giveUp() {
	c.cancel(errGivenUp)
	_ = c.end() // that it was given up
}
