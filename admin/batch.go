package admin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"holdfast/lease"
	"holdfast/ownership"
)

// maxRowSize is the largest size of a row of a batch in bytes: a record and some.
const maxRowSize = 4 * ownership.MaxRecordSize

// BatchResult is what became of one row of a batch.
type BatchResult struct {
	Line      int              `json:"line"` // of the input, from 1
	Key       *string          `json:"key"`
	KeyDigest ownership.Digest `json:"keyDigest"` // zero where the row names none
	Receipt   *Receipt         `json:"receipt"`   // nil where the row failed
}

// RowError is returned for a row of a batch that cannot be used.
type RowError struct {
	Line int
	Why  string
}

func (e *RowError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Why) }

// RecoverBatch recovers the session of each row by the row's own revision and with
// everything else as the template says, many at once, and tells of them in the order of
// the rows. Rows are objects one a line, as a list of stranded sessions prints them; of
// each, only keyDigest, revision and key count, and empty lines are skipped. The error
// beside a result is that row's: a [*RowError] for a row that does not name a session and
// a revision, or what [Recover] returned. The batch goes on after it. When ctx ends no
// further row is begun, and the batch ends when those that took effect are told, and one
// that did not; so it does when the rows cannot be read further.
func RecoverBatch(ctx context.Context, s lease.Store, rows io.Reader, template Recovery) iter.Seq2[BatchResult, error] {
	return func(yield func(BatchResult, error) bool) {
		asking, cancel := context.WithCancel(ctx)
		s, w, apart := gather(s)
		defer apart()
		template.room = make(room, w.commits)
		b := &batch{ctx: ctx, store: s, template: template, looks: lease.NewSurvey(s), width: w.batch}
		defer b.looks.Close()
		answers := b.begin(asking, rows)
		defer drainRows(cancel, answers)
		interrupted := false // and that was told
		for answer := range answers {
			a := <-answer
			if errors.Is(a.err, errAside) {
				a.result, a.err = recoverRow(ctx, s, a.row, template)
			}
			if interrupted && IsInterruption(ctx, a.err) {
				continue // as the one before
			}
			if !yield(a.result, a.err) {
				return
			}
			interrupted = interrupted || IsInterruption(ctx, a.err)
		}
		if b.left != nil && ctx.Err() != nil && !interrupted {
			yield(b.left.result(), context.Cause(ctx))
		}
	}
}

// IsInterruption reports whether the error of a row says that its recovery had no effect
// because ctx ended.
func IsInterruption(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() == nil || errors.Is(err, lease.ErrOutcomeUnknown) {
		return false
	}
	return errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))
}

func unreadRest(line int, err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &RowError{line, fmt.Sprintf("is longer than %d bytes; it and what follows were not looked at", maxRowSize)}
	}
	return fmt.Errorf("line %d: %w", line, err)
}

func recoverRow(ctx context.Context, s lease.Store, row batchRow, template Recovery) (BatchResult, error) {
	r := template
	r.Target, r.Expect = row.target, row.revision
	result := row.result()
	receipt, err := Recover(ctx, s, r)
	if err != nil {
		return result, err
	}
	result.Receipt, result.Key = &receipt, receipt.Key
	return result, nil
}

// batchRow is what counts of a row.
type batchRow struct {
	line     int // of the input, from 1
	target   Target
	revision ownership.Revision
}

// result is what there is to tell of a row that was not recovered.
func (r batchRow) result() BatchResult {
	return BatchResult{Line: r.line, Key: r.target.shown(nil), KeyDigest: r.target.Digest}
}

// parseRow reads strictly what the recovery will rest on (I12), and ignores the rest.
func parseRow(b []byte) (batchRow, error) {
	members, err := membersOf(b)
	if err != nil {
		return batchRow{}, fmt.Errorf("is not an object: %w", err)
	}
	var row batchRow
	if err := member(members.keyDigest, "keyDigest", &row.target.Digest); err != nil {
		return batchRow{}, err
	}
	if err := member(members.revision, "revision", &row.revision); err != nil {
		return batchRow{}, err
	}
	return row, row.addKey(members.key)
}

// member wants a member that is there and not null.
func member(raw json.RawMessage, name string, value any) error {
	if raw == nil || string(raw) == "null" {
		return fmt.Errorf("has no %s", name)
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("has a wrong %s: %w", name, err)
	}
	return nil
}

// addKey takes the key where the row has one, which must be the one of the digest.
func (r *batchRow) addKey(raw json.RawMessage) error {
	if raw == nil || string(raw) == "null" {
		return nil
	}
	var text string
	if err := member(raw, "key", &text); err != nil {
		return err
	}
	key, err := ownership.ParseKey(text)
	if err != nil {
		return fmt.Errorf("has a wrong key: %w", err)
	}
	if key.Digest() != r.target.Digest {
		return fmt.Errorf("has a keyDigest that is not the one of key %q", text)
	}
	r.target = ByKey(key)
	return nil
}
