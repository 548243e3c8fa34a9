package admin

import (
	"context"
	"time"

	"holdfast/lease"
	"holdfast/lease/dirstore"
)

// Finding is one thing that was checked about a store.
type Finding struct {
	Check   string       `json:"check"`   // stable word for what was checked
	Checked bool         `json:"checked"` // false: Detail says why not
	Problem bool         `json:"problem"` // false: the check passed, or was not made
	Detail  string       `json:"detail"`
	Next    []lease.Next `json:"next"` // what to type; at least one with a problem
}

// examiner is a store that can look at its own condition.
type examiner interface {
	Health(context.Context) (dirstore.Health, error)
}

// Doctor checks a store and returns what it found, the passed checks too. It changes
// nothing (I8). An error means that the store could not be looked at at all.
func Doctor(ctx context.Context, s lease.Store) ([]Finding, error) {
	var all []Finding
	if store, ok := s.(examiner); ok {
		h, err := store.Health(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, judgeStore(h)...)
	}
	if store, ok := s.(lease.Examiner); ok {
		found, err := examined(ctx, store)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	all = append(all, checkRecords(ctx, s, time.Now())...)
	return append(all, checkMemory(ctx, s)...), context.Cause(ctx)
}

func passed(check, detail string) Finding {
	return Finding{Check: check, Checked: true, Detail: detail, Next: []lease.Next{}}
}

func unchecked(check, why string) Finding {
	return Finding{Check: check, Detail: "not checked: " + why, Next: []lease.Next{}}
}

func problem(check, detail, why string, argv ...string) Finding {
	return Finding{check, true, true, detail, []lease.Next{{Why: why, Argv: argv}}}
}

// repair is a problem whose command changes something.
func repair(check, detail, why string, argv ...string) Finding {
	f := problem(check, detail, why, argv...)
	f.Next[0].ChangesState = true
	return f
}
