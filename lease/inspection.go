package lease

import (
	"context"

	"holdfast/ownership"
)

// Inspection is what a session is, with the evidence. Its JSON is what the command
// line prints.
type Inspection struct {
	Key       *string             `json:"key"`
	KeyDigest ownership.Digest    `json:"keyDigest"`
	State     ownership.State     `json:"state"`
	Revision  *ownership.Revision `json:"revision"` // nil when vacant
	Record    *ownership.Record   `json:"record"`   // nil when vacant or unreadable
	Liveness  *ownership.Liveness `json:"liveness"` // nil where the state does not depend on it
	Pulse     *Pulse              `json:"pulse"`    // nil unless it is of this generation
	Class     *string             `json:"class"`    // nil until it was classified
	Next      []Next              `json:"next"`     // what a person can do now

	Fault  error  `json:"-"` // why the record is unreadable
	Stored Stored `json:"-"` // the bytes that the state was judged on
}

// Next is a command that a person can type in the state that an inspection found.
type Next struct {
	Why          string   `json:"why"`
	Argv         []string `json:"argv"`
	ChangesState bool     `json:"changesState"`
}

// Current returns the record for a transition.
func (i Inspection) Current() ownership.Current {
	return ownership.Current{Record: i.Record, Revision: i.Stored.Revision}
}

// Inspect looks at a session and changes nothing (I8). Holders, Class and Next are
// left for who shows them.
//
// It loads, probes and loads again, and starts over when the bytes changed: a probe
// of an owner that has just released finds its lock free, and a healthy owner that
// cycles quickly would look stranded. Each new start means that somebody else made
// progress, so only ctx bounds it.
func Inspect(ctx context.Context, s Store, d ownership.Digest) (Inspection, error) {
	v := viewOf(s, d)
	defer v.Close()
	return inspect(ctx, v, d)
}

func inspect(ctx context.Context, v View, d ownership.Digest) (Inspection, error) {
	stored, err := v.Load(ctx)
	for err == nil {
		reading := read(stored, d)
		if !reading.NeedsProbe() {
			return inspectionOf(d, stored, reading, nil), nil
		}
		var live ownership.Liveness
		if live, err = v.Probe(ctx, *reading.Record); err != nil {
			break
		}
		var again Stored
		if again, err = v.Load(ctx); err != nil {
			break
		}
		if again.Revision == stored.Revision {
			i := inspectionOf(d, stored, reading, &live)
			i.addPulse(ctx, v)
			return i, nil
		}
		stored, err = again, ctx.Err()
	}
	return Inspection{}, err
}

func inspectionOf(d ownership.Digest, s Stored, r ownership.Reading, live *ownership.Liveness) Inspection {
	i := Inspection{KeyDigest: d, Record: r.Record, Liveness: live, Fault: r.Fault, Stored: s}
	if !s.Vacant() {
		i.Revision = &s.Revision
	}
	if r.Record != nil {
		i.Key = r.Record.Key
	}
	var v ownership.Verdict
	if live != nil {
		v = live.Verdict
	}
	i.State = ownership.Judge(r, v)
	return i
}

// addPulse adds the owner's latest sign of progress. It is evidence: what is wrong
// with it becomes an evidence line (I12), and another generation's is ignored.
func (i *Inspection) addPulse(ctx context.Context, v View) {
	p, err := DecodePulse(v.Pulse(ctx))
	switch {
	case err != nil:
		line := ownership.Evidence{Probe: "pulse", Finding: ownership.Unknown, Detail: err.Error()}
		i.Liveness.Evidence = append(i.Liveness.Evidence, line)
	case p != nil && p.Generation == i.Record.Generation:
		i.Pulse = p
	}
}
