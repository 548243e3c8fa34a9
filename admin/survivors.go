package admin

import (
	"context"
	"fmt"
	"slices"

	"holdfast/lease"
	"holdfast/ownership"
)

// decideHeld refuses a session that somebody holds (I7). What is left of an owner
// whose own lock is free can hold the kin lock for ever; such survivors may live on
// if the person names every one of them, and then what else is known of the owner
// decides.
func (q request) decideHeld(ctx context.Context, i lease.Inspection) (attempt, error) {
	if i.Liveness.Held != ownership.KinLock {
		return attempt{}, refuse(ctx, q.store, i, ownership.ReasonActiveOwner, i.Summary())
	}
	err := nameHolders(ctx, q.store, &i)
	unnamed := slices.DeleteFunc(slices.Clone(i.Liveness.Holders), q.names)
	switch {
	case len(q.Despite) == 0:
		return attempt{}, refuse(ctx, q.store, i, ownership.ReasonActiveOwner, i.Summary())
	case len(i.Liveness.Holders) == 0:
		return attempt{}, q.refuseUnseen(ctx, i, err)
	case len(unnamed) > 0:
		msg := fmt.Sprintf("session %s is held by survivors that --despite does not name: %s", i.Name(), processes(unnamed))
		return attempt{}, refuse(ctx, q.store, i, ownership.ReasonActiveOwner, msg)
	}
	return q.decideActive(ctx, i, q.despite(ctx, i))
}

// refuseUnseen refuses a lock whose holders cannot be named: nobody can have meant
// them.
func (q request) refuseUnseen(ctx context.Context, i lease.Inspection, err error) error {
	msg := "session " + i.Name() + " is held by survivors that cannot be seen from here"
	if err != nil {
		msg += ": " + err.Error()
	}
	return refuse(ctx, q.store, i, ownership.ReasonActiveOwner, msg)
}

// names reports whether --despite names exactly this process. Start ticks that are
// not known identify nothing.
func (r Recovery) names(p ownership.Process) bool {
	return p.StartTicks != 0 && slices.Contains(r.Despite, ProcessRef{p.PID, p.StartTicks})
}

// despite is the displacement of an owner of whom the named survivors are left. Any
// other sign of the owner makes it as unproven as it would be without them.
func (q request) despite(ctx context.Context, i lease.Inspection) displacement {
	d := displacement{liveness: ownership.Unproven, needs: Force}
	for _, p := range i.Liveness.Holders {
		d.survivors = append(d.survivors, ownership.Survivor{PID: p.PID, StartTicks: p.StartTicks, Program: ownership.ProgramName(p.Program)})
	}
	d.doubts = q.doubts(ctx, i)
	if len(d.doubts) > 0 {
		d.needs |= AcceptUnproven
	}
	return d
}
