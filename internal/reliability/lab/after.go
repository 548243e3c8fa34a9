package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"holdfast/admin"
	"holdfast/internal/journal"
	"holdfast/internal/reliability/check"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// AwaitUnheld waits until nobody holds the session, and returns what it is then.
func AwaitUnheld(ctx context.Context, dir string) (lease.Inspection, error) {
	s, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		return lease.Inspection{}, err
	}
	for deadline := time.Now().Add(Patience); ; {
		i, err := lease.Inspect(ctx, s, Digest)
		if err != nil || i.State != ownership.StateHeld {
			return i, err
		}
		if time.Now().After(deadline) {
			return i, fmt.Errorf("the session is still held: %v", i.Liveness)
		}
		time.Sleep(time.Millisecond)
	}
}

// Aftercare does what a person would do with a store that something happened to: look,
// recover by exact revision if necessary, use it once more, prune.
type Aftercare struct {
	Dir string
	// History is what was told before. What is told by the aftercare itself is added.
	History check.History
	// Tell hears of every revision at the moment when it is told to be in force; it may be
	// nil.
	Tell func(ownership.Revision)
}

// Do returns what did not get through.
func (a Aftercare) Do(ctx context.Context) error {
	before, err := AwaitUnheld(ctx, a.Dir)
	if err != nil {
		return fmt.Errorf("look: %w", err)
	}
	s, err := dirstore.Open(a.Dir, dirstore.Options{})
	if err != nil {
		return err
	}
	if err := a.recoverIfNeeded(ctx, s, before); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	generation, err := a.useAgain(ctx, s)
	if err != nil {
		return fmt.Errorf("use again: %w", err)
	}
	if r := before.Record; r != nil && generation <= r.Generation {
		return fmt.Errorf("generation %d was given after %d (I2)", generation, r.Generation)
	}
	return pruneAll(ctx, s, a.Dir, a.History)
}

func (a Aftercare) told(r ownership.Revision) {
	told := a.History.Of(Digest)
	told.Told = append(told.Told, r)
	if a.Tell != nil {
		a.Tell(r)
	}
}

func (a Aftercare) recoverIfNeeded(ctx context.Context, s lease.Store, i lease.Inspection) error {
	r := admin.Recovery{
		Target: admin.ByDigest(Digest), Expect: i.Stored.Revision, Reason: "aftercare",
		Consent: admin.Force | admin.AcceptUnproven, Snapshot: admin.SnapshotSkip,
	}
	told := a.History.Of(Digest)
	switch i.State {
	case ownership.StateVacant, ownership.StateIdle:
		return nil
	case ownership.StateUnreadable:
		if !told.Damaged {
			return fmt.Errorf("the session is unreadable: %v", i.Fault)
		}
		r.Consent |= admin.Quarantine
	}
	receipt, err := admin.Recover(ctx, s, r)
	if err != nil {
		return err
	}
	told.Damaged = false
	a.told(receipt.Revision)
	return nil
}

func (a Aftercare) useAgain(ctx context.Context, s lease.Store) (ownership.Generation, error) {
	key, err := ownership.ParseKey(Key)
	if err != nil {
		return 0, err
	}
	l, err := lease.Acquire(ctx, s, key, lease.Owner{})
	if err != nil {
		return 0, err
	}
	a.told(l.Revision())
	if err := l.Release(ctx); err != nil {
		return 0, err
	}
	stored, err := s.Load(ctx, Digest)
	a.told(stored.Revision)
	return l.Generation(), err
}

// pruneAll prunes and holds that nothing is left over afterwards.
func pruneAll(ctx context.Context, s *dirstore.Store, dir string, h check.History) error {
	var errs []error
	for _, err := range admin.Prune(ctx, s, admin.Pruning{Mode: admin.PruneDo, Actor: "lab"}) {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("prune: %w", err)
	}
	if err := readArchive(ctx, dir, h); err != nil {
		return err
	}
	entries, err := os.ReadDir(filepath.Join(dir, "sessions", Digest.String()))
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "next.") || strings.HasPrefix(name, "life.") || strings.HasPrefix(name, "kin.") {
			return fmt.Errorf("prune left %s", name)
		}
	}
	return nil
}

// readArchive adds the bytes of every record in the archive to the history.
func readArchive(ctx context.Context, dir string, h check.History) error {
	for d, told := range h {
		told.Past = nil
		for record, err := range journal.At(filepath.Join(dir, "journal.db")).Records(ctx, d) {
			if err != nil {
				return fmt.Errorf("archive: %w", err)
			}
			told.Past = append(told.Past, record.Bytes)
		}
	}
	return nil
}
