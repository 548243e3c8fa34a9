package cli

import (
	"context"
	"errors"
	"os"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/internal/supervise"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) runCommand() *urfave.Command {
	one := 1
	return &urfave.Command{
		ArgsUsage:    "KEY -- CMD [ARG…]",
		Flags:        runFlags(),
		StopOnNthArg: &one, // what follows KEY reaches the command as it is
		Action:       v.run,
	}
}

func runFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "kind", Usage: "`KIND` of host: a lowercase letter, then at most 31 of a-z, 0-9 and -", Value: "run", OnlyOnce: true},
		&urfave.StringFlag{Name: "note", Usage: "`TEXT` of at most 1024 bytes for whoever looks", OnlyOnce: true},
		&urfave.BoolFlag{Name: "private", Usage: "keep only the digest of KEY"},
		&urfave.StringFlag{Name: "runtime", Usage: "`KIND:HANDLE` of what the agent lives in, if it is no descendant, like tmux:web-42 or process:PID", OnlyOnce: true},
		&urfave.BoolFlag{Name: "no-runtime", Usage: "record no runtime, also where an earlier owner declared one"},
		&urfave.StringFlag{Name: "resume", Usage: "`TEXT` of the command that resumes the agent", OnlyOnce: true},
		&urfave.StringFlag{Name: "worktree", Usage: "`DIR`, which exists, that the agent works in (else the git worktree around here)", OnlyOnce: true},
		&urfave.BoolFlag{Name: "no-worktree", Usage: "record no worktree"},
		&urfave.StringFlag{Name: "tracker", Usage: "`FILE` of the agent's task database", OnlyOnce: true},
		&urfave.StringFlag{Name: "transcript", Usage: "`FILE` that gets the command's output as well; what it held is overwritten", OnlyOnce: true},
		&urfave.DurationFlag{Name: "wait", Usage: "`DURATION` to wait at most for a session that is held, like 30s or 5m", OnlyOnce: true},
		&urfave.IntFlag{Name: "conflict-exit-code", Aliases: []string{"E"}, Usage: "`N`, 0 to 255, to exit with in the place of 75 and 76", HideDefault: true, OnlyOnce: true},
		&urfave.StringFlag{Name: "linger", Usage: "`MODE` wait, kill or strand: what becomes of descendants that outlive CMD", Value: "wait", OnlyOnce: true},
		&urfave.DurationFlag{Name: "grace", Usage: "`DURATION` between asking a process to end and killing it, like 10s", Value: 10 * time.Second, OnlyOnce: true},
		&urfave.BoolFlag{Name: "close", Usage: "do not hand the kin lock to CMD"},
		&urfave.StringFlag{Name: "status-file", Usage: "`FILE` that gets how it ended, as JSON", OnlyOnce: true},
	}
}

// run owns a session for as long as a command and its descendants live.
func (v *invocation) run(ctx context.Context, c *urfave.Command) error {
	v.jsonTo = &v.stderr // standard output is the command's
	signals := supervise.Listen()
	req, err := v.parseRun(c)
	if err != nil {
		return err
	}
	if supervise.NeedsFreshChild() {
		code, err := supervise.InFreshChild(signals)
		if err != nil {
			return err
		}
		return &exitAs{code: code}
	}
	r := &running{invocation: v, request: req, began: time.Now()}
	if err := r.prepareStatus(c); err != nil {
		return err
	}
	return r.report(r.whole(ctx, signals))
}

// running is one run from the look at the store to the acknowledgement.
type running struct {
	*invocation
	request runRequest
	began   time.Time

	store  lease.Store
	lease  *lease.Lease
	result *supervise.Result
	status *os.File // what becomes the status file, if one is wanted
}

func (r *running) whole(ctx context.Context, signals *supervise.Signals) (err error) {
	if r.store, err = r.openStore(refuseRoot); err != nil {
		return err
	}
	if err = r.acquire(ctx, signals); err != nil {
		return r.refused(ctx, err)
	}
	result, err := supervise.Run(r.lease.Context(), signals, r.command())
	if err != nil {
		return r.neverRan(err)
	}
	r.result = &result
	return r.conclude(result)
}

// acquire takes the session. Until the command runs, a signal is meant for us.
func (r *running) acquire(parent context.Context, signals *supervise.Signals) error {
	ctx, stop := signals.Context(parent)
	owner := r.request.owner
	owner.Waiting = func(refusal *lease.Refusal) {
		// Aside, since a reader that stands still must not keep us from a signal.
		go r.remark("%s; waiting up to %s for it", refusal.Message, owner.Wait)
	}
	l, err := lease.Acquire(ctx, r.store, r.request.key, owner)
	stop()
	interrupted := interruption(ctx)
	if err != nil {
		return settled(err, interrupted)
	}
	r.lease = l
	r.published = true
	if interrupted != nil { // it came when everything was done but to say so
		return r.neverRan(interrupted)
	}
	if r.request.note != "" {
		r.pulse(lease.PhaseWorking, r.request.note)
	}
	return nil
}

// interruption returns the signal that ended a context, if one did.
func interruption(ctx context.Context) error {
	var signal *supervise.Interrupted
	if errors.As(context.Cause(ctx), &signal) {
		return signal
	}
	return nil
}

// settled is the error of an acquire that a signal may have ended: the signal's own
// exit status, unless something worse came of it.
func settled(err, interrupted error) error {
	var store *lease.StoreError
	var signal *supervise.Interrupted
	if errors.As(interrupted, &signal) && !errors.As(err, &store) {
		return &exitAs{code: 128 + int(signal.Signal)}
	}
	return err
}

// refused adds to a refusal what only `run` can suggest, and gives it the exit code
// that the caller chose for it.
func (r *running) refused(ctx context.Context, err error) error {
	var refusal *lease.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	admin.Explain(ctx, r.store, &refusal.Inspection)
	if r.request.conflictExit != nil && isConflict(err) {
		return &exitAs{*r.request.conflictExit, err}
	}
	return err
}

func isConflict(err error) bool {
	switch exitOf(err).reason {
	case ownership.ReasonActiveOwner, ownership.ReasonRecoveryRequired:
		return true
	}
	return false
}

// pulse tells who looks what is going on. It is evidence: what goes wrong with it is
// a remark.
func (r *running) pulse(phase lease.Phase, note string) {
	if err := r.lease.Pulse(context.Background(), phase, note); err != nil {
		r.remark("the pulse could not be written: %v", err)
	}
}
