package supervise

import (
	"context"
	"fmt"
	"os/signal"
	"sync"
	"syscall"

	"holdfast/internal/sigcatch"
)

// Signals receives what the wrapper may be sent, from [Listen] until the process
// ends. It is used by one goroutine at a time.
type Signals struct {
	catcher *sigcatch.Catcher

	end   chan syscall.Signal // HUP INT QUIT TERM; its own queue, so that no storm of others displaces one
	other chan syscall.Signal // USR1 USR2 WINCH CONT, and TSTP while CMD runs on a terminal
	child chan syscall.Signal // CHLD; one pending is enough, since every one reaps all

	mu        sync.Mutex
	interrupt func(syscall.Signal) bool // what takes a request to end before CMD runs, or nil
}

// Interrupted is the cause of a context that a request to end cancelled before
// CMD ran.
type Interrupted struct{ Signal syscall.Signal }

func (e *Interrupted) Error() string {
	return fmt.Sprintf("interrupted by signal %d (%v)", int(e.Signal), e.Signal)
}

// Listen catches HUP, INT, QUIT, TERM, USR1, USR2, WINCH and CONT, so that none of
// them ends the wrapper or passes CMD by. HUP and INT that were ignored at entry stay
// ignored, here and in CMD. PIPE needs nothing: a write to a broken pipe fails with
// EPIPE, as long as no [os.File] does it to stdout or stderr, and ignoring PIPE would
// be inherited by CMD.
func Listen() *Signals {
	s := &Signals{
		end:   make(chan syscall.Signal, 64),
		other: make(chan syscall.Signal, 64),
		child: make(chan syscall.Signal, 1),
	}
	s.catcher = sigcatch.New(s.deliver)
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if !signal.Ignored(sig) {
			s.catcher.Catch(sig)
		}
	}
	s.catcher.Catch(syscall.SIGQUIT, syscall.SIGTERM)
	s.catcher.Catch(syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT)
	s.catcher.Catch(syscall.SIGCHLD)
	return s
}

func (s *Signals) deliver(sig syscall.Signal) {
	switch sig {
	case syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.requested(sig)
	case syscall.SIGCHLD:
		offer(s.child, sig)
	default:
		offer(s.other, sig)
	}
}

// offer drops what there is no room for.
func offer(queue chan syscall.Signal, sig syscall.Signal) {
	select {
	case queue <- sig:
	default:
	}
}

// Context returns a context that the first request to end cancels with the cause
// [*Interrupted]. That goes for a terminal too: before CMD runs there is nothing
// else to receive the signal. Call stop before [Run]; it cancels the context and
// leaves the signals to Run.
func (s *Signals) Context(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	interrupt := func(sig syscall.Signal) bool {
		if ctx.Err() != nil {
			return false // ended without it: it is Run's
		}
		cancel(&Interrupted{sig})
		return true
	}
	s.divert(interrupt)
	return ctx, func() {
		s.divert(nil)
		cancel(nil)
	}
}

// divert offers requests to end to interrupt first, those too that wait already.
func (s *Signals) divert(interrupt func(syscall.Signal) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupt = interrupt
	for range len(s.end) {
		s.requested(<-s.end)
	}
}

// requested takes a request to end, under the lock.
func (s *Signals) requested(sig syscall.Signal) {
	if s.interrupt != nil && s.interrupt(sig) {
		return
	}
	offer(s.end, sig)
}

// interruption returns the request to end that nobody took yet, if any, and
// forgets the signals that had nobody to go to.
func (s *Signals) interruption() error {
	s.catcher.Flush()
	for {
		select {
		case sig := <-s.end:
			return &Interrupted{sig}
		case <-s.other:
		default:
			return nil
		}
	}
}
