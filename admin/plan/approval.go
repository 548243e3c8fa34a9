package plan

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/ownership"
)

// Approval is what a person agrees to.
type Approval struct {
	IDs        []string
	Actor      string        // "" is user@host
	Grace      time.Duration // after each signal; zero is DefaultGrace
	Progress   func(evidence.Progress)
	Intent     Intent
	StoreWords []string // name the store in a command of ours
	// IntentWords say the intent in a command of ours.
	IntentWords []string
	File        string // that has the plan, for the commands that a refusal offers; "" offers none
}

func (a Approval) grace() time.Duration {
	if a.Grace == 0 {
		return DefaultGrace
	}
	return a.Grace
}

// UnknownItemError is returned for an id that the plan does not have.
type UnknownItemError struct {
	ID  string
	IDs []string
}

func (e *UnknownItemError) Error() string {
	if len(e.IDs) == 0 {
		return fmt.Sprintf("%.80q is no item of this plan, which proposes nothing", e.ID)
	}
	return fmt.Sprintf("%.80q is no item of this plan: it has %s", e.ID, strings.Join(e.IDs, ", "))
}

// check refuses an approval that names nothing, something unknown, or something irreversible beside others.
func (a Approval) check(ctx context.Context, s lease.Store, p Plan) error {
	for _, id := range a.IDs {
		if _, ok := p.Item(id); !ok {
			return &UnknownItemError{id, p.ids()}
		}
	}
	if len(a.IDs) == 0 {
		return a.unapproved(ctx, s, p, "nothing of this plan is approved: name items with --approve")
	}
	for _, id := range a.IDs {
		if i, _ := p.Item(id); i.Gate == Irreversible && len(a.IDs) > 1 {
			return a.unapproved(ctx, s, p, fmt.Sprintf("%s is irreversible: it has to be approved alone", id))
		}
	}
	return nil
}

func (p Plan) ids() (all []string) {
	for _, i := range p.Items {
		all = append(all, i.ID)
	}
	return all
}

// unapproved refuses, and offers to approve what can be taken back.
func (a Approval) unapproved(ctx context.Context, s lease.Store, p Plan, msg string) error {
	i, err := admin.Inspect(ctx, s, p.target())
	if err != nil {
		return err
	}
	if next := p.Next(a.File, a.IntentWords...); a.File != "" && len(next) > 0 {
		i.Next = append(next, i.Next...)
	}
	return &lease.Refusal{Reason: ownership.ReasonForceRequired, Message: msg, Inspection: i}
}

// Next offers to approve, out of the file that has the plan, everything that can be taken back.
func (p Plan) Next(file string, intent ...string) []lease.Next {
	var ids []string
	for _, i := range p.Items {
		if i.Gate == Write {
			ids = append(ids, i.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	argv := []string{"session", "apply", file, "--approve", strings.Join(ids, ",")}
	argv = append(argv, intent...)
	return []lease.Next{{Why: "do what is not irreversible", Argv: argv, ChangesState: true}}
}

// PlanAgain makes another plan of the session, to look at.
func (p Plan) PlanAgain() lease.Next {
	return lease.Next{Why: "see what can be done about it now", Argv: about("plan", p.Key, p.KeyDigest)}
}

// Next shows what came of it.
func (r Report) Next() []lease.Next {
	return []lease.Next{{Why: "see what the session is now", Argv: about("inspect", r.Key, r.KeyDigest)}}
}

// about is a command about a session. A key that looks like a flag is named by its digest.
func about(command string, key *string, d ownership.Digest) []string {
	if key != nil && !strings.HasPrefix(strings.TrimSpace(*key), "-") {
		return []string{"session", command, *key}
	}
	return []string{"session", command, "--digest", d.String()}
}

// target names the session as it was named to the plan.
func (p Plan) target() admin.Target {
	if p.Key != nil {
		if k, err := ownership.ParseKey(*p.Key); err == nil && k.Digest() == p.KeyDigest {
			return admin.ByKey(k)
		}
	}
	return admin.ByDigest(p.KeyDigest)
}

// approved lists the approved items in the order of the plan.
func (p Plan) approved(a Approval) (all []Item) {
	for _, i := range p.Items {
		if slices.Contains(a.IDs, i.ID) {
			all = append(all, i)
		}
	}
	return all
}
