package admin

import (
	"context"
	"iter"
	"slices"

	"holdfast/lease"
	"holdfast/ownership"
)

// Row is one session in a list.
type Row struct {
	Key        *string               `json:"key"` // nil where the record has none or cannot be read
	KeyDigest  ownership.Digest      `json:"keyDigest"`
	State      ownership.State       `json:"state"`
	Revision   *ownership.Revision   `json:"revision"`   // nil when vacant
	Generation *ownership.Generation `json:"generation"` // nil without a record
	Owner      *ownership.Owner      `json:"owner"`
	Session    *ownership.Session    `json:"session"`
	Pulse      *lease.Pulse          `json:"pulse"`
}

// List yields a row for each session in one of the states, ordered by key digest;
// without states, for each session that is not vacant. It goes on past what it
// cannot read: such a session comes as a row with only its digest, or not even that,
// and the error. It changes nothing (I8).
func List(ctx context.Context, s lease.Store, states []ownership.State) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for found := range survey(ctx, s) {
			if found.err == nil && !wanted(found.State, states) {
				continue
			}
			if !yield(rowOf(found.Inspection), found.err) {
				return
			}
		}
	}
}

// wanted holds back vacant sessions unless they are asked for: they are what an
// acquire that came to nothing leaves.
func wanted(state ownership.State, states []ownership.State) bool {
	if len(states) == 0 {
		return state != ownership.StateVacant
	}
	return slices.Contains(states, state)
}

func rowOf(i lease.Inspection) Row {
	row := Row{Key: i.Key, KeyDigest: i.KeyDigest, State: i.State, Revision: i.Revision, Pulse: i.Pulse}
	if r := i.Record; r != nil {
		row.Generation, row.Owner, row.Session = &r.Generation, r.Owner, &r.Session
	}
	return row
}
