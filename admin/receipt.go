package admin

import (
	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/ownership"
)

// Receipt says what a forced recovery published. It is made from nothing but the
// published record and its event in the archive, so that asking again returns the same;
// but for where the snapshot is, which is looked for.
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
	Snapshot         *Kept                `json:"snapshot"` // nil where nothing was saved
	Replayed         bool                 `json:"replayed"` // an earlier recovery had published it

	// Settled is how the outcome came about, and when the agent stopped. It is no part of
	// the record: nil where nobody is known to have owned the session, or where the
	// archive has it no more.
	Settled *Settled `json:"settled"`

	// Leftover is why the recovery's own lock file could not be removed, if so. The
	// recovery is done all the same.
	Leftover error `json:"-"`

	// Forgotten is why the archive could not say which generations there were, if so: the
	// generation is above the number of seconds since 1970 then.
	Forgotten error `json:"-"`

	// Unrecorded is why the archive has no event of the recovery, if so. The marker in
	// the record is the truth, and history tells it from there.
	Unrecorded error `json:"-"`
}

// Kept names the snapshot that was taken before a recovery.
type Kept struct {
	Dir      *string `json:"dir"`      // nil where a replay cannot find it
	Manifest string  `json:"manifest"` // SHA-256 of its manifest, as the marker says
}

// keptIn adds to a receipt's snapshot where it is.
func (q request) keptIn(r Receipt) *Kept {
	if r.Snapshot == nil {
		return nil
	}
	kept := *r.Snapshot
	if q.saved != nil && q.saved.Manifest == kept.Manifest {
		kept.Dir = &q.saved.Dir
		return &kept
	}
	if dir, found := evidence.Find(kept.Manifest, r.KeyDigest, q.Saving.Dir, q.Saving.Below); found {
		kept.Dir = &dir
	}
	return &kept
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
	}
	if m.Evidence != nil {
		receipt.Snapshot = &Kept{Manifest: *m.Evidence}
	}
	if receipt.Key == nil {
		receipt.Key = seen.Key
	}
	return receipt
}
