package cli

import (
	"context"
	"fmt"
	"time"

	"holdfast/admin"
	"holdfast/lease"
)

// lostError is returned when ownership was lost while a command ran.
type lostError struct {
	err  error
	hint string
	next []lease.Next // where err does not show who has the session now
}

func (e *lostError) Error() string { return e.err.Error() }

func (e *lostError) Unwrap() error { return e.err }

// What is said to an owner that has stopped its command, and ends now itself.
const (
	lostHint  = "Nothing was published: the session stays as it was until somebody looks and recovers it"
	takenHint = "Nothing was published: what is in force now is not of this run"
)

// lookPatience bounds what is asked only to say who has the session now. The store may be
// what was lost.
const lookPatience = time.Second

// lost says what happened, and who has the session now if somebody else does. What this
// very process looks like to others is not said: it is about to end.
func (r *running) lost(how string, cause error) error {
	record := r.lease.Record()
	err := fmt.Errorf("session %q is not ours any more (generation %d), %s: %w", r.request.key.String(), record.Generation, how, cause)
	ctx, cancel := context.WithTimeout(context.Background(), lookPatience)
	defer cancel()
	i, looked := admin.Inspect(ctx, r.store, admin.ByKey(r.request.key))
	if looked == nil && (i.Revision == nil || *i.Revision != r.lease.Revision()) {
		return &lostError{err: &leftActive{err, i}, hint: takenHint}
	}
	name := r.request.key.String()
	i = lease.Inspection{Key: &name, KeyDigest: r.request.key.Digest()}
	return &lostError{err, lostHint, []lease.Next{admin.LookAgain(i, "see what it is now, and what can be done")}}
}
