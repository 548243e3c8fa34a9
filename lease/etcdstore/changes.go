package etcdstore

import (
	"context"
	"errors"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/ownership"
)

var errSilentWatch = errors.New("the cluster did not confirm the watch")

// Changes asks the cluster to tell of changes, and returns once it will.
func (s *Store) Changes(ctx context.Context, only *ownership.Digest) (<-chan ownership.Digest, error) {
	prefix := s.keys.sessions()
	if only != nil {
		prefix = s.keys.allOf(*only)
	}
	client, err := s.link.use()
	if err != nil {
		return nil, s.failed(ctx, "watch", prefix, err)
	}
	watching, stop := context.WithCancel(clientv3.WithRequireLeader(ctx))
	answers := client.Watch(watching, prefix, clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	if err := confirmed(watching, answers, s.config.patience()); err != nil {
		stop()
		return nil, s.failed(ctx, "watch", prefix, err)
	}
	notices := make(chan ownership.Digest)
	go func() {
		defer stop()
		defer close(notices)
		s.tell(watching, answers, notices)
	}()
	return notices, nil
}

func confirmed(ctx context.Context, answers clientv3.WatchChan, patience time.Duration) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case answer, ok := <-answers:
		if !ok {
			return errSilentWatch
		}
		return answer.Err()
	case <-timer.C:
		return errSilentWatch
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tell passes on each session once for each answer, until the watch breaks.
func (s *Store) tell(ctx context.Context, answers clientv3.WatchChan, notices chan<- ownership.Digest) {
	for answer := range answers {
		if answer.Err() != nil {
			return
		}
		told := map[ownership.Digest]bool{}
		for _, e := range answer.Events {
			d, rest, ok := s.keys.digestIn(string(e.Kv.Key))
			if !ok || told[d] || rest != recordName && !strings.HasPrefix(rest, lifeName) {
				continue
			}
			told[d] = true
			select {
			case notices <- d:
			case <-ctx.Done():
				return
			}
		}
	}
}
