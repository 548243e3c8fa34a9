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

// lapsed says when the life key went, as far as the cluster still knows: it counts its
// changes, and only what publishers and owners wrote around then has times.
func (p *prober) lapsed(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lapsePatience)
	defer cancel()
	p.add(lifeProbe, ownership.Absent, "the life key of generation %d is gone, %s: its owner gave it up, or the cluster did not hear of the owner for too long",
		p.record.Generation, p.whenGone(ctx))
}

func (p *prober) whenGone(ctx context.Context) string {
	after := p.record.Owner.AcquiredAt
	known, err := p.store.load(ctx, p.record.KeyDigest)
	if now := known.Reading(p.record.KeyDigest).Record; err != nil || now == nil || now.Generation != p.record.Generation || now.State != p.record.State {
		return "some time after " + after.String() // and the record is another one: this look does not count
	}
	end, err := p.store.firstEvent(ctx, p.store.keys.life(p.record.KeyDigest, p.record.Generation), known.mod, clientv3.WithFilterPut())
	if err != nil {
		return "some time after " + after.String()
	}
	if pulse := p.pulseBefore(ctx, end.Kv.ModRevision); pulse != nil && pulse.At.Time().After(after.Time()) {
		after = pulse.At
	}
	return fmt.Sprintf("since some time between %s and %s (revision %d of the cluster)", after, p.store.timeAfter(ctx, end.Kv.ModRevision), end.Kv.ModRevision)
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
func (p *prober) pulseBefore(ctx context.Context, gone int64) *lease.Pulse {
	got, err := p.store.get(ctx, "read pulse", p.store.keys.pulse(p.record.KeyDigest), clientv3.WithRev(gone-1))
	if err != nil || len(got.Kvs) == 0 {
		return nil
	}
	var pulse lease.Pulse
	if json.Unmarshal(got.Kvs[0].Value, &pulse) != nil || pulse.Generation != p.record.Generation {
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
