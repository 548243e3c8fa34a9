package admin_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/lease"
	"holdfast/ownership"
)

type batch struct {
	results []admin.BatchResult
	errs    []error
}

func (w *world) batch(rows string, r admin.Recovery) batch {
	w.Helper()
	var b batch
	for result, err := range admin.RecoverBatch(w.Context(), w.store, strings.NewReader(rows), r) {
		require.Equal(w, err == nil, result.Receipt != nil)
		b.results, b.errs = append(b.results, result), append(b.errs, err)
	}
	return b
}

func (w *world) rows() string {
	w.Helper()
	var b bytes.Buffer
	for row, err := range admin.List(w.Context(), w.store, []ownership.State{ownership.StateStranded}) {
		require.NoError(w, err)
		require.NoError(w, json.NewEncoder(&b).Encode(row))
	}
	return b.String()
}

func reasonOf(err error) ownership.Reason {
	var refusal *lease.Refusal
	if errors.As(err, &refusal) {
		return refusal.Reason
	}
	return ""
}

// Ten rows, one of them stale and one of a session that is not there.
func TestBatch(t *testing.T) {
	w := newWorld(t)
	keys := many(9)
	w.own(plan{Key: keys[0], More: keys[1:]}).kill()
	rows := w.rows()
	absent := target("absent").Digest
	rows += fmt.Sprintf("\n{\"key\": \"absent\", \"keyDigest\": %q, \"revision\": %q}", absent, ownership.Revision{1})
	i := w.inspect(target("k3"))
	w.recovered(admin.Recovery{Target: target("k3"), Expect: *i.Revision, Consent: admin.Force})
	w.strand(plan{Key: "k3"})

	force := admin.Recovery{Consent: admin.Force, Reason: "all of them"}
	before := w.bytes()
	for _, err := range w.batch(rows, admin.Recovery{}).errs {
		require.Error(t, err)
	}
	require.Equal(t, before, w.bytes()) // I8

	first := w.batch(rows, force)
	require.Len(t, first.errs, 10)
	reasons := map[ownership.Reason]int{}
	for n, err := range first.errs {
		if err != nil {
			reasons[reasonOf(err)]++
			continue
		}
		require.False(t, first.results[n].Receipt.Replayed)
	}
	require.Equal(t, map[ownership.Reason]int{ownership.ReasonRevisionMismatch: 1, ownership.ReasonNothingToRecover: 1}, reasons)

	before = w.bytes()
	second := w.batch(rows, force)
	require.Equal(t, before, w.bytes())
	for n, err := range second.errs {
		require.Equal(t, first.errs[n] == nil, err == nil)
		if err == nil {
			require.True(t, second.results[n].Receipt.Replayed)
		}
	}
}

func TestBatchNamesWhatIsWrongWithARow(t *testing.T) {
	w := newWorld(t)
	w.strand(plan{Key: "k"})
	good := w.rows()
	d, r := target("k").Digest, ownership.Revision{}
	for _, bad := range []string{
		`null`, `[]`, `{`, `{}`, `"k"`,
		fmt.Sprintf(`{"keyDigest": %q}`, d),
		fmt.Sprintf(`{"revision": %q}`, r),
		fmt.Sprintf(`{"keyDigest": null, "revision": %q}`, r),
		fmt.Sprintf(`{"keyDigest": %q, "revision": null}`, d),
		fmt.Sprintf(`{"keyDigest": %q, "revision": "12"}`, d),
		fmt.Sprintf(`{"keyDigest": %q, "revision": %q, "key": "other"}`, d, r),
		fmt.Sprintf(`{"keyDigest": %q, "revision": %q, "key": 7}`, d, r),
		fmt.Sprintf(`{"keyDigest": %q, "revision": %q} {}`, d, r),
	} {
		b := w.batch("\n"+bad+"\n"+good, admin.Recovery{Consent: admin.Force})
		require.Len(t, b.errs, 2, bad)
		var row *admin.RowError
		require.ErrorAs(t, b.errs[0], &row, bad)
		require.Equal(t, 2, row.Line)
		require.NoError(t, b.errs[1], bad)
	}
	b := w.batch(good+strings.Repeat("x", 1<<20), admin.Recovery{Consent: admin.Force})
	require.Len(t, b.errs, 2)
	require.NoError(t, b.errs[0])
	require.Error(t, b.errs[1])
}

// A batch whose time was up before its first row says that as well, whether or not it began.
func TestBatchAfterItsEndSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.strand(plan{Key: "K"})
	rows := w.rows()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 30 { // it is left to chance whether a row is begun
		var errs []error
		for _, err := range admin.RecoverBatch(ctx, w.store, strings.NewReader(rows), admin.Recovery{Consent: admin.Force}) {
			errs = append(errs, err)
		}
		require.Len(t, errs, 1)
		require.ErrorIs(t, errs[0], context.Canceled)
	}
	require.Equal(t, ownership.StateStranded, w.inspect(target("K")).State)
}

// Whatever was recovered when a batch is interrupted has been told of, and that it did not
// come to its end is.
func TestInterruptedBatchTellsWhatItRecovered(t *testing.T) {
	w := newWorld(t)
	keys := w.strandTogether(64)
	fewAtOnce(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	interruption := errors.New("interrupted")
	told, interrupted := map[string]bool{}, 0
	for r, err := range admin.RecoverBatch(ctx, w.store, strings.NewReader(w.rows()), admin.Recovery{Consent: admin.Force}) {
		if err != nil {
			require.True(t, errors.Is(err, interruption) || errors.Is(err, context.Canceled), err)
			interrupted++
			continue
		}
		told[*r.Key] = true
		cancel(interruption)
	}
	require.Equal(t, 1, interrupted)
	require.Less(t, len(told), len(keys))
	for _, key := range keys {
		require.Equal(t, told[key], w.inspect(target(key)).State == ownership.StateIdle, key)
	}
}
