package supervise

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Signals receives what the wrapper may be sent, from [Listen] until the process
// ends. It is used by one goroutine at a time.
type Signals struct {
	end   chan os.Signal // HUP INT QUIT TERM; its own queue, so that no storm of others displaces one
	other chan os.Signal // USR1 USR2 WINCH CONT, and TSTP while CMD runs on a terminal
	child chan os.Signal // CHLD; one pending is enough, since every one reaps all
}

// Interrupted is the cause of a context that a request to end cancelled before
// CMD ran.
type Interrupted struct{ Signal syscall.Signal }

func (e *Interrupted) Error() string {
	return fmt.Sprintf("interrupted by signal %d (%v)", int(e.Signal), e.Signal)
}

// Listen catches HUP, INT, QUIT, TERM, USR1, USR2, WINCH, CONT and PIPE, so that
// none of them ends the wrapper. HUP and INT that were ignored at entry stay
// ignored, here and in CMD.
func Listen() *Signals {
	s := &Signals{
		end:   make(chan os.Signal, 64),
		other: make(chan os.Signal, 64),
		child: make(chan os.Signal, 1),
	}
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if !signal.Ignored(sig) {
			signal.Notify(s.end, sig)
		}
	}
	signal.Notify(s.end, syscall.SIGQUIT, syscall.SIGTERM)
	signal.Notify(s.other, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT)
	signal.Notify(s.child, syscall.SIGCHLD)
	// Caught and dropped: a write to a broken pipe then fails with EPIPE and
	// nothing else. Ignoring PIPE would be inherited by CMD.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	return s
}

// Context returns a context that the first request to end cancels with the cause
// [*Interrupted]. That goes for a terminal too: before CMD runs there is nothing
// else to receive the signal. Call stop before [Run]; it cancels the context and
// leaves the signals to Run.
func (s *Signals) Context(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case sig := <-s.end:
			if ctx.Err() != nil {
				s.end <- sig // stopped meanwhile: it is Run's
				return
			}
			cancel(&Interrupted{sig.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}

// interruption returns the request to end that nobody took yet, if any, and
// forgets the signals that had nobody to go to.
func (s *Signals) interruption() error {
	for {
		select {
		case sig := <-s.end:
			return &Interrupted{sig.(syscall.Signal)}
		case <-s.other:
		default:
			return nil
		}
	}
}
