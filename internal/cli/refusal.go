package cli

import (
	"errors"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// refusal is why a command has no answer, as its JSON says it.
type refusal struct {
	Reason     ownership.Reason  `json:"reason"`
	ExitCode   int               `json:"exitCode"`
	Message    string            `json:"message"`
	Hint       string            `json:"hint,omitempty"` // the next step, where it is no command
	Inspection *lease.Inspection `json:"inspection"`
	Next       []lease.Next      `json:"next"`
	Preview    *admin.Preview    `json:"preview,omitempty"` // of a recovery that was not agreed to

	unchanged bool // it is certain that nothing was changed, and worth saying
}

// explain makes a refusal of any error.
func (v *invocation) explain(err error) refusal {
	row := exitOf(err)
	r := refusal{Reason: row.reason, ExitCode: codeFor(err), Message: err.Error()}
	r.Inspection, r.unchanged = v.decidedOn(err)
	if r.Inspection == nil {
		r.Hint = row.hint
	}
	var forced *admin.ForceRequired
	if errors.As(err, &forced) {
		r.Preview = &forced.Preview
	}
	var store *lease.StoreError
	if errors.As(err, &store) && store.Advice != "" {
		r.Hint = store.Advice
	}
	var lost *lostError
	if errors.As(err, &lost) {
		r.Hint = lost.hint
	}
	var unstarted *notStartedError
	if errors.As(err, &unstarted) {
		r.Hint = notStartedHint
	}
	r.Next = v.nextOf(err, r)
	return r
}

// decidedOn returns the inspection that an error carries, and whether it is that of a
// refusal, which changed nothing (I8).
func (v *invocation) decidedOn(err error) (i *lease.Inspection, unchanged bool) {
	var refused *lease.Refusal
	var left *leftActive
	switch {
	case errors.As(err, &refused):
		shown := v.shown(refused.Inspection)
		return &shown, true
	case errors.As(err, &left):
		shown := v.shown(left.inspection)
		return &shown, false
	}
	return nil, false
}

func (v *invocation) nextOf(err error, r refusal) []lease.Next {
	usage := &usageError{}
	snapshot := &snapshotError{}
	lost := &lostError{}
	unstarted := &notStartedError{}
	unknown := &admin.UnknownOutcome{}
	switch {
	case r.Inspection != nil:
		return r.Inspection.Next
	case errors.As(err, &unknown):
		return v.located(unknown.Next)
	case errors.As(err, &snapshot):
		return snapshot.next()
	case errors.As(err, &lost):
		return v.located(lost.next)
	case isNoCommand(err) || errors.As(err, &unstarted):
		return (&usageError{command: "session run"}).next()
	case errors.As(err, &usage) || r.Reason == ownership.ReasonUsage || v.location == location{}:
		return usage.next()
	}
	return v.located([]lease.Next{{Why: "check the store", Argv: []string{"session", "doctor"}}})
}

// shown returns an inspection as it is shown: every list is there, and the commands
// name the store where a shell would not find it by itself.
func (v *invocation) shown(i lease.Inspection) lease.Inspection {
	i.Next = v.located(i.Next)
	if i.Liveness != nil {
		live := *i.Liveness
		live.Evidence = append([]ownership.Evidence{}, live.Evidence...)
		live.Holders = append([]ownership.Process{}, live.Holders...)
		i.Liveness = &live
	}
	return i
}
