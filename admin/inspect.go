package admin

import (
	"context"
	"fmt"

	"holdfast/lease"
	"holdfast/ownership"
)

// Inspect says what a session is, on what evidence, who holds its lock and what can
// be typed next. It changes nothing (I8). A session that was never heard of is
// vacant. Errors are those of the store.
func Inspect(ctx context.Context, s lease.Store, t Target) (lease.Inspection, error) {
	i, err := look(ctx, s, t)
	if err != nil {
		return lease.Inspection{}, err
	}
	Explain(ctx, s, &i)
	return i, nil
}

// look is lease.Inspect under the key that was typed: a private record has none.
func look(ctx context.Context, s lease.Store, t Target) (lease.Inspection, error) {
	i, err := lease.Inspect(ctx, s, t.Digest)
	i.Key = t.shown(i.Key)
	return i, err
}

// Explain adds to an inspection, such as one that a refusal carries, the holders of
// the lock that was found held and the commands that can be typed next. What it
// cannot find out becomes an evidence line: it never fails.
func Explain(ctx context.Context, s lease.Store, i *lease.Inspection) {
	switch i.State {
	case ownership.StateHeld:
		_ = nameHolders(ctx, s, i) // it is an evidence line by now
	case ownership.StateStranded, ownership.StateUnproven:
		recall(ctx, s, i)
	case ownership.StateUnreadable:
		_, _ = lookForTraces(ctx, s, i) // likewise
	}
	i.Next = nextOf(*i)
}

// recall adds when the owner's lock went free, once, where the store can tell.
func recall(ctx context.Context, s lease.Store, i *lease.Inspection) {
	r, ok := s.(lease.Recaller)
	if !ok {
		return
	}
	line := r.Recall(ctx, *i.Record)
	for _, known := range i.Liveness.Evidence {
		if known.Probe == line.Probe {
			return
		}
	}
	i.Liveness.Evidence = append(i.Liveness.Evidence, line)
}

// nameHolders finds out who holds the lock of a held session, once.
func nameHolders(ctx context.Context, s lease.Store, i *lease.Inspection) error {
	if len(i.Liveness.Holders) > 0 {
		return nil
	}
	holders, err := s.Holders(ctx, i.KeyDigest, i.Record.Generation, i.Liveness.Held)
	i.Liveness.Holders = holders
	if err != nil {
		i.Liveness.Evidence = append(i.Liveness.Evidence, unknown("holders", err))
	}
	return err
}

func unknown(probe string, err error) ownership.Evidence {
	return ownership.Evidence{Probe: probe, Finding: ownership.Unknown, Detail: err.Error()}
}

// lookForTraces asks what is left of a session whose record is unreadable: with no
// record to say which generation is in force, a held lock of any is a sign of life,
// and becomes the inspection's liveness.
func lookForTraces(ctx context.Context, s lease.Store, i *lease.Inspection) (lease.Traces, error) {
	q, ok := s.(lease.Quarantiner)
	if !ok {
		return lease.Traces{}, nil
	}
	traces, err := q.Traces(ctx, i.KeyDigest)
	switch {
	case err != nil:
		i.Liveness = &ownership.Liveness{Verdict: ownership.Unproven, Evidence: []ownership.Evidence{unknown("traces", err)}}
	case len(traces.Held) > 0:
		i.Liveness = livenessOf(ctx, s, i.KeyDigest, traces.Held)
	}
	return traces, err
}

func livenessOf(ctx context.Context, s lease.Store, d ownership.Digest, held []lease.HeldLock) *ownership.Liveness {
	live := &ownership.Liveness{Verdict: ownership.Alive, Held: held[0].Lock}
	for _, h := range held {
		probe := string(h.Lock) + " lock"
		detail := fmt.Sprintf("the %s lock of generation %d is held", h.Lock, h.Generation)
		live.Evidence = append(live.Evidence, ownership.Evidence{Probe: probe, Finding: ownership.Present, Detail: detail})
		holders, err := s.Holders(ctx, d, h.Generation, h.Lock)
		if err != nil {
			live.Evidence = append(live.Evidence, unknown("holders", err))
		}
		live.Holders = append(live.Holders, holders...)
	}
	return live
}
