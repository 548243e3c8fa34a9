package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/admin"
	"holdfast/internal/supervise"
	"holdfast/lease"
)

// command is what the supervisor gets: the command in an environment that names the
// session, and the kin lock to hand on.
func (r *running) command() supervise.Command {
	return supervise.Command{
		Argv:       r.request.argv,
		Env:        r.environment(os.Environ()),
		Kin:        r.lease.Kin(),
		Transcript: r.request.transcript,
		Linger:     r.request.linger,
		Grace:      r.request.grace,
		LostGrace:  r.lostGrace,
		Notice:     r.notice,
		Pending:    r.pending,
		Asks:       r.asks(),
	}
}

// killShare is the part of a store's patience that is left for a KILL to do its work, on
// a machine that may be busy.
const killShare = 8

// lostGrace is how long a store that could not be told that we live still keeps others
// out, less what it takes to kill. A loss of another kind leaves what --grace says.
func (r *running) lostGrace() time.Duration {
	var lapse *lease.LapseError
	if errors.As(context.Cause(r.lease.Context()), &lapse) {
		return time.Until(lapse.Until) - lapse.TTL/killShare
	}
	return r.request.grace
}

// environment returns ours less what is not the command's, and more what names the
// session, so that the inner of two nested runs wins.
func (r *running) environment(ours []string) []string {
	record := r.lease.Record()
	self, err := os.Executable()
	if err != nil {
		self = "session"
	}
	set := []string{
		"SESSION_KEY=" + r.request.key.String(),
		"SESSION_GENERATION=" + strconv.FormatUint(uint64(record.Generation), 10),
		"SESSION_OPERATION_ID=" + record.Owner.OperationID.String(),
		"SESSION_REVISION=" + r.lease.Revision().String(),
		"SESSION_BIN=" + self,
		"HOLDFAST_STORE=" + r.location.path,
	}
	env := slices.DeleteFunc(slices.Clone(ours), func(entry string) bool {
		return strings.HasPrefix(entry, "HOLDFAST_ETCD_") || slices.ContainsFunc(set, func(s string) bool {
			name, _, _ := strings.Cut(s, "=")
			return strings.HasPrefix(entry, name+"=")
		})
	})
	return append(env, set...)
}

// notice tells the caller, and who inspects, what a run still waits for.
func (r *running) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	r.remark("%s", text)
	r.pulse(lease.PhaseStopping, text)
}

// pending says what else must be gone, once no descendant is left: a runtime that is
// no descendant, or a stranger that was handed the kin lock.
func (r *running) pending() (string, error) {
	err := r.lease.Quiescent(context.Background())
	var not *lease.NotQuiescentError
	if errors.As(err, &not) {
		return not.What, nil
	}
	return "", err
}

// asks is what pending asks for.
func (r *running) asks() string {
	const kin = "any process still holds the session's kin lock"
	if rt := r.lease.Record().Session.Runtime; rt != nil {
		return kin + ", or runtime " + rt.String() + " lives"
	}
	return kin
}

// neverRan ends a run whose command was not started: nothing can touch the session.
func (r *running) neverRan(err error) error {
	if released := r.release(); released != nil {
		return fmt.Errorf("%w; %w", released, err)
	}
	var signal *supervise.Interrupted
	switch {
	case errors.Is(err, supervise.ErrNotFound):
		return &exitAs{127, err}
	case errors.Is(err, supervise.ErrNotExecutable):
		return &exitAs{126, err}
	case errors.As(err, &signal):
		return &exitAs{code: 128 + int(signal.Signal)}
	}
	return &exitAs{126, &notStartedError{err}}
}

// notStartedError is returned when a command could not be started for want of something
// that has nothing to do with it, like room for another process. The session was acquired
// and released again, so that it is not an error that changed nothing (I9).
type notStartedError struct{ err error }

func (e *notStartedError) Error() string { return e.err.Error() }

func (e *notStartedError) Unwrap() error { return e.err }

const notStartedHint = "Nothing was started, and the session is released again: make room or repair what the message names, then try again"

// conclude acknowledges if, and only if, it was proved that everything has stopped.
func (r *running) conclude(result supervise.Result) error {
	if result.TranscriptErr != nil {
		r.remark("the transcript is incomplete: %v", result.TranscriptErr)
	}
	if result.Lost {
		cause := r.lease.Release(context.Background()) // refused, with the cause: nothing is published
		return r.lost(fmt.Sprintf("and its command was stopped (%s)", result.Exit), cause)
	}
	if !result.Quiescent {
		return r.strand(result)
	}
	err := r.release()
	if errors.Is(err, lease.ErrOwnershipLost) {
		return r.lost(fmt.Sprintf("and its command has ended (%s)", result.Exit), err)
	}
	if err != nil {
		return err
	}
	switch code := result.Exit.ExitCode(); {
	case result.Exit == supervise.Unknown:
		return errors.New("the session is released, and how the command ended is not known: its end was taken by somebody else")
	case code != 0:
		return &exitAs{code: code}
	}
	return nil
}

// release acknowledges. Where that fails, the exit status is ours, and says so.
func (r *running) release() error {
	err := r.lease.Release(context.Background())
	if err == nil || errors.Is(err, lease.ErrOwnershipLost) {
		return err
	}
	if errors.Is(err, lease.ErrOutcomeUnknown) {
		return r.leftBehind(fmt.Errorf("whether the release is in force is not known: %w", err))
	}
	// This process ends with it: what is shown next must not be that we hold it.
	if abandoned := r.lease.Abandon(context.Background(), err.Error()); abandoned != nil {
		r.remark("%v", abandoned)
	}
	return r.leftBehind(fmt.Errorf("the release failed and the session is still active: %w", err))
}

// strand leaves the session active, for somebody to look at.
func (r *running) strand(result supervise.Result) error {
	what := result.Proof
	if len(result.Survivors) > 0 {
		what = survivors(result.Survivors)
	}
	not := &lease.NotQuiescentError{What: what}
	if err := r.lease.Abandon(context.Background(), not.What); err != nil {
		r.remark("%v", err)
	}
	return r.leftBehind(fmt.Errorf("the session is left active: %w", not))
}

func survivors(all []supervise.Process) string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = fmt.Sprintf("%s (pid %d)", p.Program, p.PID)
	}
	return "left alive: " + strings.Join(names, ", ")
}

// leftBehind adds to an error what the session is now, so that the next command can
// be shown.
func (r *running) leftBehind(err error) error {
	i, looked := admin.Inspect(context.Background(), r.store, admin.ByKey(r.request.key))
	if looked != nil {
		return err
	}
	return &leftActive{err, i}
}

// leftActive is returned when a run ends without an acknowledgement in force.
type leftActive struct {
	err        error
	inspection lease.Inspection
}

func (e *leftActive) Error() string { return e.err.Error() }

func (e *leftActive) Unwrap() error { return e.err }
