package admin

import (
	"holdfast/lease"
	"holdfast/ownership"
)

// Receipt says what a forced recovery published. It is made from nothing but the
// published record and its event in the archive, so that asking again returns the same.
type Receipt struct {
	Key              *string              `json:"key"`
	KeyDigest        ownership.Digest     `json:"keyDigest"`
	PreviousRevision ownership.Revision   `json:"previousRevision"`
	Revision         ownership.Revision   `json:"revision"` // of the bytes written (I10)
	Generation       ownership.Generation `json:"generation"`
	RecoveredAt      ownership.Timestamp  `json:"recoveredAt"`
	Actor            string               `json:"actor"`
	Reason           string               `json:"reason"`
	Liveness         ownership.Verdict    `json:"liveness"`
	Cleanup          ownership.Cleanup    `json:"cleanup"`
	Outcome          ownership.Outcome    `json:"outcome"`
	Snapshot         *string              `json:"snapshot"` // SHA-256 of the snapshot's manifest
	Replayed         bool                 `json:"replayed"` // an earlier recovery had published it

	// Settled is how the outcome came about, and when the agent stopped. It is no part of
	// the record: nil where nobody is known to have owned the session, or where the
	// archive has it no more.
	Settled *Settled `json:"settled"`

	// Leftover is why the recovery's own lock file could not be removed, if so. The
	// recovery is done all the same.
	Leftover error `json:"-"`

	// Unrecorded is why the archive has no event of the recovery, if so. The marker in
	// the record is the truth, and history tells it from there.
	Unrecorded error `json:"-"`
}

// receiptOf reads the receipt out of what a forced recovery published. The key is
// the one that was typed where the record keeps none.
func receiptOf(r ownership.Record, b []byte, seen lease.Inspection) Receipt {
	m := r.LastForcedRecovery
	receipt := Receipt{
		Key:              r.Key,
		KeyDigest:        r.KeyDigest,
		PreviousRevision: m.PreviousRevision,
		Revision:         ownership.RevisionOf(b),
		Generation:       r.Generation,
		RecoveredAt:      m.RecoveredAt,
		Actor:            m.Actor,
		Reason:           m.Reason,
		Liveness:         m.Liveness,
		Cleanup:          m.Cleanup,
		Outcome:          m.Outcome,
		Snapshot:         m.Evidence,
	}
	if receipt.Key == nil {
		receipt.Key = seen.Key
	}
	return receipt
}
