package lab

import (
	"context"
	"errors"
	"os"
	"strings"

	"holdfast/admin"
	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// Act does in this process what the workload does, with every call of the store's seam
// going through calls.
func (s *Scene) Act(ctx context.Context, r *Run, calls durable.Interceptor) {
	store, err := dirstore.Open(r.Dir, dirstore.Options{Calls: calls})
	if err == nil {
		err = s.act(ctx, store, r)
	}
	if err != nil {
		r.Said = err.Error()
	}
	r.Exit = exitOf(err)
}

// exitOf returns the exit code that an error stands for, as far as [Scene.Judge] needs
// it.
func exitOf(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, lease.ErrOutcomeUnknown), errors.Is(err, lease.ErrOwnershipLost):
		return 82
	}
	return 74
}

func (s *Scene) act(ctx context.Context, store *dirstore.Store, r *Run) error {
	switch {
	case s.args[0] == "run":
		return s.own(ctx, store, r)
	case s.args[0] == "recover":
		recovery := admin.Recovery{
			Target: admin.ByDigest(Digest), Expect: s.Expect, Reason: "it was killed",
			Consent: admin.Force | admin.AcceptUnproven, Snapshot: admin.SnapshotSkip,
		}
		if strings.Contains(strings.Join(s.args, " "), "--quarantine") {
			recovery.Consent |= admin.Quarantine
		}
		_, err := admin.Recover(ctx, store, recovery)
		return err
	case s.args[0] == "prune":
		var errs []error
		for _, err := range admin.Prune(ctx, store, admin.Pruning{Mode: admin.PruneDo, Actor: "lab"}) {
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	case s.args[0] == "history":
		_, err := admin.Archive(ctx, store, admin.ByDigest(Digest))
		return err
	}
	return nil
}

// own acquires and releases. What cannot be released is left stranded, as by an owner
// that ends.
func (s *Scene) own(ctx context.Context, store *dirstore.Store, r *Run) error {
	key, err := ownership.ParseKey(Key)
	if err != nil {
		return err
	}
	l, err := lease.Acquire(ctx, store, key, lease.Owner{Kin: true})
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.Told, []byte(l.Revision().String()), 0o600); err != nil {
		return err
	}
	if err := l.Release(ctx); err != nil {
		_ = l.Abandon(ctx, "it could not be released")
		return err
	}
	return nil
}
