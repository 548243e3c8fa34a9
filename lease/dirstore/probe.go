package dirstore

import (
	"context"
	"fmt"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// Probe asks for signs of life of the owner of r, the kernel first.
func (s *Store) Probe(ctx context.Context, r ownership.Record) (ownership.Liveness, error) {
	if err := ctx.Err(); err != nil {
		return ownership.Liveness{}, err
	}
	x, err := s.openSession(r.KeyDigest)
	if err != nil {
		return ownership.Liveness{}, err
	}
	if x != nil {
		defer x.Close()
	}
	return s.probe(ctx, r, anyhow{s, x, r})
}

// asked is where a probe asks what is in the session's directory.
type asked interface {
	lock(ownership.Lock) (lockState, error)
	pulse(context.Context) ([]byte, error)
}

// anyhow asks of whatever is there.
type anyhow struct {
	store  *Store
	x      *session // nil: no directory
	record ownership.Record
}

func (a anyhow) lock(l ownership.Lock) (lockState, error) {
	if a.x == nil {
		return lockMissing, nil
	}
	return a.store.askLock(a.x.Root, lockName(a.record.Generation, l))
}

func (a anyhow) pulse(ctx context.Context) ([]byte, error) {
	return a.store.Pulse(ctx, a.record.KeyDigest)
}

func (s *Store) probe(ctx context.Context, r ownership.Record, in asked) (ownership.Liveness, error) {
	p := &prober{store: s, record: r, in: in, evidence: make([]ownership.Evidence, 0, 8)}
	verdict, held := p.verdict(ctx)
	return ownership.Liveness{
		Verdict: verdict, Evidence: p.evidence, Holders: []ownership.Process{}, Held: held,
	}, nil
}

// prober collects the evidence behind one verdict.
type prober struct {
	store    *Store
	record   ownership.Record
	in       asked
	evidence []ownership.Evidence
}

func (p *prober) add(probe string, f ownership.Finding, format string, args ...any) {
	p.evidence = append(p.evidence, ownership.Evidence{Probe: probe, Finding: f, Detail: fmt.Sprintf(format, args...)})
}

// verdict takes the first line that applies. When a lock is held, nothing else is
// asked.
func (p *prober) verdict(ctx context.Context) (ownership.Verdict, ownership.Lock) {
	life := p.askLock(ownership.LifeLock)
	if life == lockHeld {
		return ownership.Alive, ownership.LifeLock
	}
	kin := p.askLock(ownership.KinLock)
	if kin == lockHeld {
		return ownership.Alive, ownership.KinLock
	}
	if life == lockUnknown || kin == lockUnknown || p.record.Owner == nil {
		return ownership.Unproven, ownership.NoLock
	}
	return p.beyondLocks(ctx, life), ownership.NoLock
}

// beyondLocks is for free locks: whether they prove anything depends on which kernel
// the owner ran under.
func (p *prober) beyondLocks(ctx context.Context, life lockState) ownership.Verdict {
	boot := p.compareBoot()
	switch reach := p.reach(); {
	case boot == sameBoot:
		return p.traces(ctx, life)
	case reach == Local && boot == restarted:
		return ownership.Gone
	}
	return ownership.Unproven
}

// traces is for an owner of this boot, whose lock is authoritative unless its file
// was removed.
func (p *prober) traces(ctx context.Context, life lockState) ownership.Verdict {
	if life == lockMissing {
		return ownership.Unproven
	}
	evidence, clear := probe.Owner(ctx, p.record, p.abandoned(ctx))
	p.evidence = append(p.evidence, evidence...)
	if !clear {
		return ownership.Unproven
	}
	return ownership.Gone
}

// abandoned reports whether the owner itself said that it left this generation.
func (p *prober) abandoned(ctx context.Context) bool {
	pulse, err := lease.DecodePulse(p.in.pulse(ctx))
	return err == nil && pulse != nil &&
		pulse.Generation == p.record.Generation && pulse.Phase == lease.PhaseAbandoned
}

func (p *prober) askLock(l ownership.Lock) lockState {
	state, err := p.in.lock(l)
	p.add(string(l)+" lock", lockFinding(l, state), "%s", lockDetail(p.record.Generation, l, state, err))
	return state
}

// lockFinding holds that a missing life-lock file hides whoever has its lock, while a
// kin lock that nobody took has no file.
func lockFinding(l ownership.Lock, state lockState) ownership.Finding {
	switch {
	case state == lockHeld:
		return ownership.Present
	case state == lockFree, state == lockMissing && l == ownership.KinLock:
		return ownership.Absent
	}
	return ownership.Unknown
}

func lockDetail(g ownership.Generation, l ownership.Lock, state lockState, err error) string {
	switch {
	case state == lockHeld && l == ownership.LifeLock:
		return fmt.Sprintf("the owner's lock of generation %d is held", g)
	case state == lockHeld:
		return fmt.Sprintf("a descendant of the owner of generation %d holds the lock that it inherited", g)
	case state == lockUnknown:
		return fmt.Sprintf("the %s lock of generation %d cannot be asked: %v", l, g, err)
	case state == lockMissing && l == ownership.LifeLock:
		return fmt.Sprintf("the file of the life lock of generation %d is missing: its holder cannot be seen", g)
	case state == lockMissing:
		return fmt.Sprintf("there is no kin lock of generation %d", g)
	default:
		return fmt.Sprintf("nobody holds the %s lock of generation %d", l, g)
	}
}

// bootMatch compares the boot in which a record was made with this one.
type bootMatch int

const (
	bootUnknown bootMatch = iota
	sameBoot
	restarted // this machine, another boot
	elsewhere
)

func (p *prober) compareBoot() bootMatch {
	const name = "boot"
	match := matchBoot(*p.record.Owner, procid.ThisHost())
	host := p.record.Owner.Host
	switch match {
	case sameBoot:
		p.add(name, ownership.Absent, "this machine has not restarted since: a free lock is the kernel's own word")
	case restarted:
		p.add(name, ownership.Absent, "this machine has restarted since: no process of the owner can exist")
	case elsewhere:
		p.add(name, ownership.Unknown, "the owner ran on %q, in another boot than this one: its processes cannot be seen from here", host)
	default:
		p.add(name, ownership.Unknown, "it is not known whether the owner, on %q, ran in this boot", host)
	}
	return match
}

func matchBoot(o ownership.Owner, here procid.Host) bootMatch {
	switch {
	case o.BootID == nil || here.BootID == nil:
		return bootUnknown
	case *o.BootID == *here.BootID:
		return sameBoot
	case o.HostID != nil && here.ID != nil && o.HostID.String() == *here.ID:
		return restarted
	}
	return elsewhere
}

// reach adds a line only where the file system weakens what the locks say.
func (p *prober) reach() Reach {
	const name = "file system"
	fs, err := p.store.fileSystem()
	switch {
	case err != nil:
		p.add(name, ownership.Unknown, "it cannot be told whether other machines share the store: %v", err)
		return Unknown
	case fs.Reach != Local:
		p.add(name, ownership.Unknown, "the store is on %s, which other machines may share: locks of theirs may not show here", fs.Name)
	}
	return fs.Reach
}
