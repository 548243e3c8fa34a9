package cli

import (
	"holdfast/ownership"
)

// failedRow is a row that has no answer: which one, and why.
type failedRow struct {
	Line      int               `json:"line,omitempty"` // of a batch's input
	Key       *string           `json:"key"`
	KeyDigest *ownership.Digest `json:"keyDigest"`
	refusal
}

func (v *invocation) failedRow(key *string, d ownership.Digest, err error) failedRow {
	row := failedRow{Key: key, refusal: v.explain(err)}
	if d != (ownership.Digest{}) {
		row.KeyDigest = &d
	}
	if v.json {
		v.row(row)
	}
	return row
}

// failures are the rows that have no answer.
type failures []failedRow

// partial ends a list that went past rows.
func (v *invocation) partial(failed failures) error {
	if len(failed) == 0 {
		return nil
	}
	v.tell(failed)
	return &answered{ownership.ReasonPartial, plural(len(failed), "session") + " could not be read"}
}

// tell tells people of rows without an answer; as JSON they were told in their place.
func (v *invocation) tell(failed failures) {
	if !v.json && !v.quiet {
		v.stderr.show(v.page(&v.stderr), func(p *page) { p.failures(failed) })
	}
}
