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

	"holdfast/internal/tail"
)

// limits are how long a program may neither take nor give anything while it is waited for, and how long a process that
// it left behind may keep its standard error open. A variable for tests.
var limits = struct{ Still, Late time.Duration }{10 * time.Minute, 5 * time.Second}

var (
	errStill   = errors.New("it stood still")
	errGivenUp = errors.New("given up")
)

// child is a program that was started. Whoever started it calls end, once or more.
type child struct {
	path    string
	cmd     *exec.Cmd
	pipes   pipes
	ctx     context.Context
	cancel  context.CancelCauseFunc
	waiting *time.Timer // runs while the program is waited for
	said    *tail.Tail
	drained chan struct{} // closed when all that it gave has arrived; nil where it is read as it comes
	over    bool
	err     error // how it ended
}

// start starts the program with pipes that plumb makes its standard files.
func (p Program) start(ctx context.Context, plumb func(*exec.Cmd) (pipes, error), args ...string) (*child, error) {
	if p.err != nil {
		return nil, &ProgramError{Path: p.path, Err: p.err}
	}
	if _, err := exec.LookPath(p.path); err != nil { // so that nothing is forked for a program that is not there
		return nil, &ProgramError{Path: p.path, Err: bare(err)}
	}
	c := &child{path: p.path, said: tail.Of(1 << 10)}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	c.cmd = exec.CommandContext(c.ctx, p.path, args...)
	c.cmd.Env, c.cmd.Dir = []string{}, "/"
	c.cmd.Stderr = c.said
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.cmd.WaitDelay = limits.Late
	var err error
	if c.pipes, err = plumb(c.cmd); err == nil {
		err = c.cmd.Start()
	}
	c.pipes.theirs.close() // the program has its own, or there is none
	if err != nil {
		c.pipes.ours.close()
		c.cancel(errGivenUp)
		return nil, &ProgramError{Path: p.path, Err: bare(err)}
	}
	// What waits here for the other end of a pipe has to end with the program: a process that it started may have that.
	context.AfterFunc(c.ctx, c.pipes.ours.close)
	c.waiting = time.AfterFunc(limits.Still, func() { c.cancel(fmt.Errorf("%w for %v", errStill, limits.Still)) })
	c.waiting.Stop()
	return c, nil
}

// pipes are between this process and a program: the ends of both.
type pipes struct{ ours, theirs files }

type files []*os.File

// close closes all of them. On a pipe that cannot fail, and those that are closed already stay so.
func (f files) close() {
	for _, one := range f {
		one.Close()
	}
}

// while does what waits for the program, with patience.
func (c *child) while(do func() (int, error)) (int, error) {
	c.waiting.Reset(limits.Still)
	defer c.waiting.Stop()
	return do()
}

// end closes our first pipe, waits until the process is gone and all that it gave has arrived, and returns how that went:
// nil where its status is 0.
func (c *child) end() error {
	if c.over {
		return c.err
	}
	c.over = true
	c.pipes.ours[:1].close()
	_, err := c.while(c.wait)
	cause := context.Cause(c.ctx)
	c.cancel(errGivenUp)
	switch {
	case errors.Is(cause, errStill):
		c.err = c.failed(cause)
	case cause != nil:
		c.err = cause
	case err != nil:
		c.err = c.failed(errors.New(err.Error())) // its exit status is no caller's business
	}
	return c.err
}

func (c *child) wait() (int, error) {
	err := c.cmd.Wait()
	if c.drained != nil {
		<-c.drained
	}
	return 0, err
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
		c.err = c.failed(fmt.Errorf("it ended without saying that it took %d bytes and gave %d", r.Taken, r.Given))
	}
	return c.err
}

// giveUp ends the process, whatever it is at.
func (c *child) giveUp() {
	c.cancel(errGivenUp)
	_ = c.end() // that it was given up
}
