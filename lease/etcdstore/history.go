package etcdstore

import (
	"cmp"
	"context"
	"iter"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// place is where a record stands in the order of the whole cluster.
type place struct {
	revision ownership.Revision
	created  int64
}

// Published reads in the order in which the cluster wrote. A time that cannot be read is
// not known (I12).
func (s *Store) Published(ctx context.Context, d ownership.Digest) iter.Seq2[lease.Published, error] {
	return func(yield func(lease.Published, error) bool) {
		places, err := s.places(ctx, d)
		if err != nil {
			yield(lease.Published{}, err)
			return
		}
		times, err := s.times(ctx, d)
		if err != nil && !yield(lease.Published{}, err) {
			return
		}
		for _, p := range places {
			stored, err := s.ReadRev(ctx, d, p.revision)
			if err == nil && stored.Vacant() {
				continue // it was there a moment ago
			}
			if !yield(lease.Published{Stored: stored, At: times[p.revision]}, err) {
				return
			}
		}
	}
}

func (s *Store) places(ctx context.Context, d ownership.Digest) (all []place, err error) {
	for kv, err := range s.page(ctx, "read history", s.keys.pasts(d), clientv3.WithKeysOnly(), clientv3.WithLimit(pageOfKeys)) {
		if err != nil {
			return nil, err
		}
		if r, err := revisionIn(string(kv.Key)); err == nil {
			all = append(all, place{r, kv.CreateRevision})
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.created, b.created) })
	return all, nil
}

func (s *Store) times(ctx context.Context, d ownership.Digest) (map[ownership.Revision]ownership.Timestamp, error) {
	times := map[ownership.Revision]ownership.Timestamp{}
	for kv, err := range s.page(ctx, "read history", s.keys.eventsOf(d), clientv3.WithLimit(pageOfKeys)) {
		if err != nil {
			return times, err
		}
		r, err := revisionIn(string(kv.Key))
		if err != nil {
			continue
		}
		if e, err := parseEvent(kv.Value); err == nil {
			times[r] = e.At
		}
	}
	return times, nil
}
