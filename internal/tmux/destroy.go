package tmux

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	"holdfast/internal/halt"
	"holdfast/internal/procid"
)

// Destroyed says what the end of a session took.
type Destroyed struct {
	Ended []procid.Process // that ran in its panes, and are gone
	Sent  []halt.Sent      // to those of them that outlived the hangup
}

// LeftError says which processes of the panes outlived their session, and everything that they were sent.
type LeftError struct {
	Session string
	Left    []procid.Process
}

func (e *LeftError) Error() string {
	names := make([]string, len(e.Left))
	for i, p := range e.Left {
		names[i] = fmt.Sprintf("%q (pid %d)", p.Program, p.PID)
	}
	return fmt.Sprintf("tmux session %q is destroyed, and of its panes these live on: %s", e.Session, strings.Join(names, ", "))
}

// Destroy ends the session and proves that every process of its panes is gone, by pid and start. By tmux they get a
// hangup; those that live on after the grace get TERM, and after another one KILL, each exactly. Panes that other
// sessions show too are left alone.. With a [*LeftError] it is destroyed and
// somebody lives on; with every other error it may or may not be.
func (s *Session) Destroy(ctx context.Context, grace time.Duration) (Destroyed, error) {
	all, err := s.Processes(ctx)
	if err != nil {
		return Destroyed{}, err
	}
	if err := s.do(ctx, "kill-session -t '"+s.ID+"'"); err != nil {
		return Destroyed{}, err
	}
	left, err := halt.Await(ctx, all, grace)
	if err != nil {
		return Destroyed{}, err
	}
	var d Destroyed
	d.Sent, left, err = halt.End(ctx, left,
		halt.Stage{Signal: syscall.SIGTERM, Grace: grace},
		halt.Stage{Signal: syscall.SIGKILL, Grace: max(grace, leastPatience)})
	if err == nil && len(left) > 0 {
		err = &LeftError{s.Name, left}
	}
	if err == nil {
		d.Ended = all
	}
	return d, err
}

// leastPatience is the least time that the kernel gets to carry out a KILL.
const leastPatience = 2 * time.Second
