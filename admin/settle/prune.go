package settle

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"holdfast/lease"
	"holdfast/ownership"
)

// Pruning is which verdicts are to go.
type Pruning struct {
	Before ownership.Timestamp // verdicts that were written earlier
	DryRun bool                // only say which
}

// Action is what a pruning does with a verdict.
type Action string

// The actions.
const (
	ActionRemove Action = "remove"
	ActionKeep   Action = "keep"
)

// Pruned is what became of one verdict. In a dry run nothing did yet.
type Pruned struct {
	Key       *string          `json:"key"` // nil where the record keeps none
	KeyDigest ownership.Digest `json:"keyDigest"`
	Action    Action           `json:"action"`
	Why       string           `json:"why"`     // it is kept although it is not known to be younger
	Verdict   *Verdict         `json:"verdict"` // nil where it cannot be used
}

// Prune removes old verdicts, and yields what became of each verdict that is old, or
// whose age cannot be told, in the order of the digests. It keeps the verdict on an
// execution that has not been settled, however old, and one that cannot be used, since
// nobody knows of when it is. It goes on past what it cannot read or remove: that comes
// with an error.
func Prune(ctx context.Context, s lease.Store, p Pruning) iter.Seq2[Pruned, error] {
	return func(yield func(Pruned, error) bool) {
		digests, unlisted := digestsOf(ctx, s)
		for _, d := range digests {
			row, found, err := p.prune(ctx, s, d)
			if (found || err != nil) && !yield(row, err) {
				return
			}
			if ctx.Err() != nil {
				return
			}
		}
		for _, u := range unlisted {
			if !yield(Pruned{KeyDigest: u.digest}, u.err) {
				return
			}
		}
	}
}

type unlisted struct {
	digest ownership.Digest
	err    error
}

func digestsOf(ctx context.Context, s lease.Store) (digests []ownership.Digest, faults []unlisted) {
	for d, err := range s.List(ctx) {
		if err != nil {
			faults = append(faults, unlisted{d, err})
			continue
		}
		digests = append(digests, d)
	}
	slices.SortFunc(digests, func(a, b ownership.Digest) int { return bytes.Compare(a[:], b[:]) })
	return digests, faults
}

// prune does what there is to do with the verdict of one session, if it has one to
// speak of.
func (p Pruning) prune(ctx context.Context, s lease.Store, d ownership.Digest) (row Pruned, found bool, err error) {
	row = Pruned{KeyDigest: d, Action: ActionKeep}
	kept, err := Read(ctx, s, d)
	if err != nil || kept.Revision.IsZero() {
		return row, false, err
	}
	if kept.Verdict != nil && !kept.Verdict.WrittenAt.Time().Before(p.Before.Time()) {
		return row, false, nil
	}
	stored, err := s.Load(ctx, d)
	if err != nil {
		return row, false, err
	}
	reading := stored.Reading(d)
	if reading.Record != nil {
		row.Key = reading.Record.Key
	}
	row.Verdict = kept.Verdict
	if row.Why = needed(reading, kept); row.Why != "" {
		return row, true, nil
	}
	row.Action = ActionRemove
	if !p.DryRun {
		err = remove(ctx, s, d, kept, &row)
	}
	return row, true, err
}

// needed says why a verdict is kept however old it is, or "".
func needed(r ownership.Reading, k Kept) string {
	place, _ := PlaceOf(r.Record)
	switch {
	case k.Fault != nil:
		return k.Fault.Error()
	case r.Fault != nil:
		return "the record of its session cannot be read"
	case r.Record != nil && r.Record.State == ownership.RecordActive && place == k.Verdict.Place():
		return "its execution has not been settled"
	}
	return ""
}

func remove(ctx context.Context, s lease.Store, d ownership.Digest, k Kept, row *Pruned) error {
	keeper, err := keeperOf(s)
	if err == nil {
		err = keeper.ClearVerdict(ctx, d, k.Revision)
	}
	if errors.Is(err, lease.ErrConflict) {
		row.Action, row.Why = ActionKeep, "it was replaced or removed meanwhile"
		return nil
	}
	return err
}
