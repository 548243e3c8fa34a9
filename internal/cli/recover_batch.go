package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

// recoverBatch recovers each row of a file by the row's own revision.
func (v *invocation) recoverBatch(ctx context.Context, c *urfave.Command, r admin.Recovery) error {
	if _, err := positional(c); err != nil {
		return err
	}
	for _, name := range []string{"digest", "expect", "despite"} {
		if c.IsSet(name) {
			return wrong(c, "--%s has no meaning with --from, whose rows name session and revision", name)
		}
	}
	rows, err := batchRows(c)
	if err != nil {
		return err
	}
	defer rows.Close()
	s, err := v.openForRecovery(&r)
	if err != nil {
		return err
	}
	var failed failures
	done := 0
	r.Saving.Below, r.Saving.Dir = r.Saving.Dir, ""
	saver := v.savesFor(&r)
	ctx, stop := interruptible(ctx)
	defer stop()
	forMany(batchGrowth)
	for result, err := range admin.RecoverBatch(ctx, s, untilInterrupted(ctx, rows), r) {
		saver.tellRow(result)
		if err != nil {
			failed = append(failed, v.batchFailure(result, interruptedRow(ctx, err)))
			continue
		}
		done++
		v.published = true
		v.batchReceipt(*result.Receipt)
	}
	return v.batchEnd(done, failed, r)
}

// untilInterrupted reads rows for as long as nobody interrupts: whoever writes them may take
// his time, or be a person. What is then still being read is left to the end of the process.
func untilInterrupted(ctx context.Context, rows io.Reader) io.Reader {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, rows)
		w.CloseWithError(err)
	}()
	context.AfterFunc(ctx, func() { w.CloseWithError(context.Cause(ctx)) })
	return r
}

func batchRows(c *urfave.Command) (io.ReadCloser, error) {
	path := c.String("from")
	if path == "-" {
		return io.NopCloser(os.Stdin), nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, wrong(c, "--from %q: %v: it takes %s", path, unwrapped(err), takes(c, "from"))
	}
	if info, err := f.Stat(); err != nil || info.IsDir() {
		f.Close()
		return nil, wrong(c, "--from %q is a directory: it takes %s", path, takes(c, "from"))
	}
	return f, nil
}

// unwrapped returns what the system said of a path, without the path.
func unwrapped(err error) error {
	if cause := errors.Unwrap(err); cause != nil {
		return cause
	}
	return err
}

func (v *invocation) batchReceipt(r admin.Receipt) {
	told := receiptOf(r)
	if v.json {
		v.row(told)
	} else {
		v.stdout.show(v.page(&v.stdout), func(p *page) { p.told(told) })
	}
	v.leftover(r)
}

func (v *invocation) batchFailure(b admin.BatchResult, err error) failedRow {
	row := failedRow{Line: b.Line, Key: b.Key, refusal: v.explain(rowFault(err))}
	if b.KeyDigest != (ownership.Digest{}) {
		row.KeyDigest = &b.KeyDigest
	}
	if v.json {
		v.row(row)
	}
	return row
}

// rowFault leaves the number of the line to the member or the title that has it already.
func rowFault(err error) error {
	var row *admin.RowError
	if !errors.As(err, &row) {
		return err
	}
	return &usageError{command: "session recover", why: "the row " + row.Why}
}

// interruptedRow gives an interruption the words that a person needs.
func interruptedRow(ctx context.Context, err error) error {
	if !admin.IsInterruption(ctx, err) {
		return err
	}
	return &lease.StoreError{
		Op: "recover", Err: errors.New("it was interrupted, as was everything behind it that has no receipt: nothing of that was changed"),
		Advice: "type the same command again: what was recovered answers with its receipt, and the rest is recovered",
	}
}

func (v *invocation) batchEnd(done int, failed failures, r admin.Recovery) error {
	if len(failed) == 0 {
		return nil
	}
	v.tell(failed)
	if done == 0 && !r.Consent.Has(admin.Force) {
		return &answered{ownership.ReasonForceRequired, "nothing was changed: give --force to recover these sessions"}
	}
	return &answered{ownership.ReasonPartial, fmt.Sprintf("recovered %d of %s", done, plural(done+len(failed), "row"))}
}
