package plan

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"holdfast/admin"
	"holdfast/internal/journal"
	"holdfast/lease"
	"holdfast/ownership"
)

// isSeen reports whether it can be seen in the world that an item is in force. What was typed, and what a tracker was
// told, cannot be: only the archive says that it was done.
func isSeen(id string) bool { return id != AnswerPrompt && id != TellTracker }

// attempts are what the archive has of an item since its plan was made.
type attempts struct {
	begun, ended int
	done         *ownership.Timestamp
}

func (w *applying) attempts(ctx context.Context, id string) (a attempts, err error) {
	for e, err := range admin.Noted(ctx, w.store, w.plan.KeyDigest) {
		if err != nil {
			return a, err
		}
		if w.plan.isOf(e) {
			a.add(e, id)
		}
	}
	return a, nil
}

func (a *attempts) add(e journal.Event, id string) {
	result, isResult := strings.CutPrefix(e.Reason, id+": ")
	switch {
	case e.Event == EventApprove && e.Reason == id:
		a.begun++
	case e.Event == EventApply && isResult:
		a.ended++
		if status, _, _ := strings.Cut(result, ","); status == string(Done) {
			a.done = &e.At
		}
	}
}

// isOf reports whether an event can be of this plan: it is about its revision, and not older.
func (p Plan) isOf(e journal.Event) bool {
	return e.PreviousRevision != nil && *e.PreviousRevision == p.Revision && !e.At.Time().Before(p.MadeAt.Time())
}

// earlier says of an item that is not seen to be in force why there is nothing left to do, or why it must not be tried
// again out of this plan: a second answer would go to the next question.
func (w *applying) earlier(ctx context.Context, i Item) (already, stale string, err error) {
	if isSeen(i.ID) {
		return "", "", nil
	}
	a, err := w.attempts(ctx, i.ID)
	switch {
	case err != nil:
		return "", "", err
	case a.done != nil:
		return fmt.Sprintf("it was done at %s; another plan can do it once more", a.done), "", nil
	case a.begun > a.ended:
		return "", "was begun out of this plan, and what came of it is not known: somebody else is at it, or was killed", nil
	case a.ended > 0 && i.Gate == Irreversible:
		return "", "was tried out of this plan, and failed", nil
	}
	return "", "", nil
}

// begin notes the approval of an item. One that is not seen to be in force is begun by one process only, which holds the
// life lock of the next generation while it looks at who was there before it, and no longer: a tracker's command may want
// the session.
func (w *applying) begin(ctx context.Context, i Item) (already string, err error) {
	if isSeen(i.ID) {
		return "", w.note(ctx, EventApprove, i.ID)
	}
	next, err := w.facts.seen.Current().NextGeneration()
	if err != nil {
		return "", err
	}
	hold, err := w.store.Hold(ctx, w.plan.KeyDigest, next)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, hold.Drop()) }()
	already, stale, err := w.earlier(ctx, i)
	switch {
	case err != nil || already != "":
		return already, err
	case stale != "":
		return "", fmt.Errorf("%w: %s %s", lease.ErrConflict, i.ID, stale)
	}
	return "", w.note(ctx, EventApprove, i.ID)
}
