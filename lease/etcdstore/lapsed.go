package etcdstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// lapsePatience bounds what is asked only to say when a life key went.
const lapsePatience = 500 * time.Millisecond

// Recall says when the life key went, as far as the cluster still knows: it counts its
// changes, and only what publishers and owners wrote around then has times.
func (s *Store) Recall(ctx context.Context, r ownership.Record) ownership.Evidence {
	ctx, cancel := context.WithTimeout(ctx, lapsePatience)
	defer cancel()
	line := ownership.Evidence{Probe: "lapse", Finding: ownership.Unknown, Detail: "when the life key went cannot be found out"}
	if r.Owner == nil {
		return line
	}
	line.Detail = "the life key went some time after " + r.Owner.AcquiredAt.String()
	if gone, known := s.whenGone(ctx, r); known {
		line.Finding, line.Detail = ownership.Absent, gone
	}
	return line
}

func (s *Store) whenGone(ctx context.Context, r ownership.Record) (string, bool) {
	known, err := s.load(ctx, r.KeyDigest)
	if now := known.Reading(r.KeyDigest).Record; err != nil || now == nil || now.Generation != r.Generation || now.State != r.State {
		return "", false // the record is another one: this look does not count
	}
	end, err := s.firstEvent(ctx, s.keys.life(r.KeyDigest, r.Generation), known.mod, clientv3.WithFilterPut())
	if err != nil {
		return "", false
	}
	after := r.Owner.AcquiredAt
	if pulse := s.pulseBefore(ctx, r, end.Kv.ModRevision); pulse != nil && pulse.At.Time().After(after.Time()) {
		after = pulse.At
	}
	return fmt.Sprintf("the life key went some time between %s and %s (revision %d of the cluster)", after, s.timeAfter(ctx, end.Kv.ModRevision), end.Kv.ModRevision), true
}

// firstEvent returns the first change at or after a revision of the cluster. A later one
// than that of the compaction is all that can be found.
func (s *Store) firstEvent(ctx context.Context, key string, from int64, options ...clientv3.OpOption) (*clientv3.Event, error) {
	client, err := s.link.use()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for answer := range client.Watch(ctx, key, append(options, clientv3.WithRev(from))...) {
		if err := answer.Err(); err != nil {
			return nil, err
		}
		if len(answer.Events) > 0 {
			return answer.Events[0], nil
		}
	}
	return nil, ctx.Err()
}

// pulseBefore returns the pulse that went with the life key, or nil.
func (s *Store) pulseBefore(ctx context.Context, r ownership.Record, gone int64) *lease.Pulse {
	got, err := s.get(ctx, "read pulse", s.keys.pulse(r.KeyDigest), clientv3.WithRev(gone-1))
	if err != nil || len(got.Kvs) == 0 {
		return nil
	}
	var pulse lease.Pulse
	if json.Unmarshal(got.Kvs[0].Value, &pulse) != nil || pulse.Generation != r.Generation {
		return nil
	}
	return &pulse
}

// timeAfter returns when the next record of any session was published, or now.
func (s *Store) timeAfter(ctx context.Context, revision int64) ownership.Timestamp {
	ctx, cancel := context.WithTimeout(ctx, lapsePatience/5)
	defer cancel()
	next, err := s.firstEvent(ctx, string(s.keys)+eventsName, revision+1, clientv3.WithPrefix(), clientv3.WithFilterDelete())
	if err == nil {
		if e, err := parseEvent(next.Kv.Value); err == nil && !e.At.Time().IsZero() {
			return e.At
		}
	}
	return ownership.At(time.Now())
}
