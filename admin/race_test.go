package admin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/ownership"
)

// order is what a recoverer process is told to do, one a line.
type order struct {
	Key     string
	Expect  ownership.Revision
	Consent admin.Consent
}

// outcome is what came of an order.
type outcome struct {
	Receipt *admin.Receipt
	Reason  ownership.Reason // of a refusal
	Error   string
}

// recovererRole recovers what it is told to, until its input ends.
func recovererRole(store string) {
	s := opened(store)
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if in.Decode(&o) != nil {
			return
		}
		r := admin.Recovery{Target: target(o.Key), Expect: o.Expect, Consent: o.Consent}
		must(out.Encode(outcomeOf(admin.Recover(context.Background(), s, r))))
	}
}

func outcomeOf(receipt admin.Receipt, err error) outcome {
	var refusal *lease.Refusal
	switch {
	case err == nil:
		return outcome{Receipt: &receipt}
	case errors.As(err, &refusal):
		return outcome{Reason: refusal.Reason, Error: err.Error()}
	default:
		return outcome{Error: err.Error()}
	}
}

// recoverer is a process that recovers.
type recoverer struct {
	in  *json.Encoder
	out *json.Decoder
}

func (w *world) recoverer() recoverer {
	w.Helper()
	cmd := w.role("recoverer", w.path)
	in, err := cmd.StdinPipe()
	require.NoError(w, err)
	out, err := cmd.StdoutPipe()
	require.NoError(w, err)
	require.NoError(w, cmd.Start())
	w.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return recoverer{json.NewEncoder(in), json.NewDecoder(out)}
}

const recoverers = 20

// TestTwentyRecoverersOneReceipt proves I6: whatever the interleaving, one revision is
// recovered once. Everybody else gets that receipt again, or a typed refusal.
func TestTwentyRecoverersOneReceipt(t *testing.T) {
	t.Parallel() // others wait meanwhile
	w := newWorld(t)
	all := make([]recoverer, recoverers)
	for n := range all {
		all[n] = w.recoverer()
	}
	for consent, rounds := range map[admin.Consent]int{admin.Force: testkit.Rounds(2, 50), admin.Force | admin.Quarantine: testkit.Rounds(1, 10)} {
		keys := make([]string, rounds)
		for n := range keys {
			keys[n] = fmt.Sprintf("round/%d/%d", consent, n)
		}
		w.own(plan{Key: keys[0], More: keys[1:]}).kill()
		for _, key := range keys {
			if consent.Has(admin.Quarantine) {
				w.damage(key)
			}
			w.race(all, order{key, w.inspect(target(key)).Stored.Revision, consent})
		}
	}
}

func (w *world) race(all []recoverer, o order) {
	w.Helper()
	for _, r := range all {
		require.NoError(w, r.in.Encode(o))
	}
	var first []admin.Receipt
	var again []admin.Receipt
	for _, r := range all {
		var got outcome
		require.NoError(w, r.out.Decode(&got))
		switch {
		case got.Receipt == nil:
			require.NotEmpty(w, got.Reason, got.Error)
		case got.Receipt.Replayed:
			again = append(again, *got.Receipt)
		default:
			first = append(first, *got.Receipt)
		}
	}
	require.Len(w, first, 1)
	first[0].Replayed = true
	for _, receipt := range again {
		require.Equal(w, first[0], receipt)
	}
	require.Equal(w, first[0].Revision, w.inspect(target(o.Key)).Stored.Revision)
}
