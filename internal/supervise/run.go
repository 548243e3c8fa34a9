package supervise

import (
	"context"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// run is one call of [Run]: the state of its event loop.
type run struct {
	*Command
	child
	signals *Signals
	streams *streams
	notes   *notices
	lost    <-chan struct{} // nil once it was seen

	result    Result
	childless bool // wait4 said ECHILD after CMD had ended
	further   bool // a further request to end came when the first answer of the inquiry was due
	sweep     *sweep
	inquiry   *inquiry
	vigil     vigil
	heardAt   time.Time // when CMD ended, or the first request to end came
	timer     *time.Timer
	done      bool

	blindSince time.Time // since when wait4 fails, or zero
}

// Run starts c and returns when c has ended and, as far as c.Linger says,
// everything that c started.
//
// An error means that nothing was started: [ErrNotFound], [ErrNotExecutable],
// [ErrTranscript], [*Interrupted] if a request to end arrived just before, the
// cause of ctx if that had ended, or a failure of the system. Once c runs, the end
// of ctx means that ownership is lost: c's group gets TERM, and KILL after the
// grace.
//
// Run closes c.Kin in any case. It makes this process a child subreaper and, on a
// terminal, catches TSTP; both stay so.
func Run(ctx context.Context, signals *Signals, c Command) (Result, error) {
	if c.Kin != nil {
		defer c.Kin.Close()
	}
	cmd, err := c.checked()
	if err != nil {
		return Result{}, err
	}
	if err := adoptOrphans(); err != nil {
		return Result{}, err
	}
	notes := newNotices(c.Notice)
	defer notes.close()
	streams, err := openStreams(c.Transcript, notes)
	if err != nil {
		return Result{}, err
	}
	tty := openTerminal()
	defer tty.close()
	r := &run{Command: cmd, signals: signals, streams: streams, notes: notes, lost: ctx.Done()}
	r.inquiry = newInquiry(cmd)
	if err := r.launch(ctx, tty); err != nil {
		streams.cut()
		return Result{}, err
	}
	r.loop()
	return r.result, nil
}

// launch starts CMD, unless something came before it.
func (r *run) launch(ctx context.Context, tty *terminal) error {
	if tty != nil {
		r.signals.catchStops()
	}
	if err := r.signals.interruption(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	pid, err := start(r.Command, r.streams.forCommand(), tty == nil)
	if err != nil {
		return err
	}
	if r.Kin != nil {
		_ = r.Kin.Close() // its lock is CMD's from here on
	}
	r.child = newChild(pid, tty)
	r.streams.begin()
	r.retryLostInterrupt()
	return nil
}

// retryLostInterrupt hands CMD the INT or QUIT that a terminal sent while CMD was
// about to be born, and that only this process can have received.
func (r *run) retryLostInterrupt() {
	r.signals.catcher.Flush()
	for range len(r.signals.end) {
		sig := <-r.signals.end
		r.request(sig, time.Now())
		if !r.forwarded(sig) {
			r.deliver(sig)
		}
	}
}

func (r *run) loop() {
	r.timer = time.NewTimer(0)
	defer r.timer.Stop()
	for !r.done {
		r.await()
		r.proceed(time.Now())
	}
	r.streams.cut()
	r.result.Exit = r.exit
	r.result.TranscriptErr = r.streams.failure()
}

// await handles one event.
func (r *run) await() {
	select {
	case <-r.signals.child:
		// What a terminal or a caller sent both of us, before it ended CMD, is CMD's.
		r.hearRequests()
		r.reapAll()
		r.followStop(r.streams.flush)
	case sig := <-r.signals.end:
		r.request(sig, time.Now())
	case sig := <-r.signals.other:
		r.handle(sig)
	case <-r.lost:
		r.loseOwnership()
	case a := <-r.inquiry.answers:
		r.inquiry.settle(time.Now(), a)
		r.reapAll()
	case <-r.streams.running():
	case <-r.timer.C:
		r.reapAll()
	}
}

// reapAll takes the end of every child that has one. It leaves the children of a
// pending inquiry alone: at that time there are no others.
func (r *run) reapAll() {
	for !r.inquiry.asking {
		pid, status, err := reap(-1)
		if err != nil && err != unix.ECHILD {
			r.unwaited(time.Now(), err)
			return
		}
		r.blindSince = time.Time{}
		switch {
		case err != nil:
			r.bereft(time.Now())
			return
		case pid == 0:
			r.childless = false
			return
		case pid == r.pid && r.alive:
			r.alive = false
			r.exit = statusOf(status)
			r.ended(time.Now())
		}
	}
}

// handle deals with a signal that is no request to end.
func (r *run) handle(sig syscall.Signal) {
	if sig == unix.SIGWINCH {
		r.streams.resize()
	}
	switch {
	case !r.alive && sig == unix.SIGTSTP:
		stopSelf(sig)
	case sig == unix.SIGWINCH && r.streams.onPty():
		r.deliver(sig) // the terminal's own reached CMD before the size of the pty was right
	default:
		r.pass(sig)
	}
}
