package etcdstore

import (
	"context"
	"fmt"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// Probe asks for signs of life of the owner of r, the cluster first.
func (s *Store) Probe(ctx context.Context, r ownership.Record) (ownership.Liveness, error) {
	key := s.keys.life(r.KeyDigest, r.Generation)
	got, err := s.get(ctx, "read life key", key)
	if err != nil {
		return ownership.Liveness{}, err
	}
	p := &prober{store: s, record: r, evidence: []ownership.Evidence{}}
	live := ownership.Liveness{Verdict: ownership.Alive, Held: ownership.LifeLock, Holders: []ownership.Process{}}
	if len(got.Kvs) > 0 {
		p.holds(got.Kvs[0].Value)
	} else {
		live.Held = ownership.NoLock
		live.Verdict = p.withoutKey(ctx)
	}
	live.Evidence = p.evidence
	return live, nil
}

// prober collects the evidence behind one verdict.
type prober struct {
	store    *Store
	record   ownership.Record
	evidence []ownership.Evidence
}

func (p *prober) add(probe string, f ownership.Finding, format string, args ...any) {
	p.evidence = append(p.evidence, ownership.Evidence{Probe: probe, Finding: f, Detail: fmt.Sprintf(format, args...)})
}

const lifeProbe = "life lock"

// holds names the host: the numbers of processes mean nothing on another one.
func (p *prober) holds(value []byte) {
	h, err := parseHolder(value)
	if err != nil {
		p.add(lifeProbe, ownership.Present, "the owner's life key of generation %d is there", p.record.Generation)
		return
	}
	if h.ended() {
		p.add(lifeProbe, ownership.Present, "the owner's life key of generation %d is there, though %q (pid %d on %q), which renewed it, has ended: the cluster lets go of it within the owner's ttl",
			p.record.Generation, h.Program, h.PID, h.Host)
		return
	}
	p.add(lifeProbe, ownership.Present, "the owner's life key of generation %d is renewed by %q (pid %d on %q)", p.record.Generation, h.Program, h.PID, h.Host)
}

// withoutKey is for a life key that is gone. It proves that the owner could not reach the
// cluster for a while, and no more, but on the owner's own machine.
func (p *prober) withoutKey(ctx context.Context) ownership.Verdict {
	if p.record.Owner == nil {
		p.add(lifeProbe, ownership.Absent, "there is no life key of generation %d", p.record.Generation)
		return ownership.Unproven
	}
	p.add(lifeProbe, ownership.Absent, "the life key of generation %d is gone: its owner gave it up, or the cluster did not hear of the owner for too long", p.record.Generation)
	switch here := procid.ThisHost(); matchHost(*p.record.Owner, here) {
	case sameBoot:
		p.add("host", ownership.Absent, "the owner ran on this machine, which has not restarted since")
		return p.traces(ctx)
	case restarted:
		p.add("host", ownership.Absent, "the owner ran on this machine, which has restarted since: no process of the owner can exist")
		return ownership.Gone
	default:
		p.elsewhere(here)
		return ownership.Unproven
	}
}

// traces asks this machine for the owner's process and what it started.
func (p *prober) traces(ctx context.Context) ownership.Verdict {
	evidence, clear := probe.Owner(ctx, p.record, p.abandoned(ctx))
	p.evidence = append(p.evidence, evidence...)
	if !clear {
		return ownership.Unproven
	}
	return ownership.Gone
}

// abandoned reports whether the owner itself said that it left this generation.
func (p *prober) abandoned(ctx context.Context) bool {
	pulse, err := lease.ReadPulse(ctx, p.store, p.record.KeyDigest)
	return err == nil && pulse != nil &&
		pulse.Generation == p.record.Generation && pulse.Phase == lease.PhaseAbandoned
}

// elsewhere says how to find out more, since nothing can be proved from here.
func (p *prober) elsewhere(here procid.Host) {
	o := p.record.Owner
	p.add("host", ownership.Unknown, "the owner ran on %q, and this is %q: its processes cannot be seen from here; on %q, `ps -o pid,lstart,args -p %d` shows whether it lives, and `session inspect` there can prove that it does not", o.Host, here.Name, o.Host, o.PID)
}
