package etcdstore

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
)

// Watch is told by the cluster of every change of the session, and by the clock of the
// end of the term. It begins where the hold began. What cannot be asked is not lost.
func (h *hold) Watch(ctx context.Context) error {
	watching, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for from := h.created + 1; ctx.Err() == nil; from = 0 {
		if h.isOver() {
			<-ctx.Done()
			break
		}
		if err := h.watchOnce(watching, from); err != nil {
			return err
		}
		sleep(watching, retryPause) // the watch broke: look again
	}
	return ctx.Err()
}

// watchOnce begins where the hold began or, after a watch that broke, at what is there
// now, so that no change is missed.
func (h *hold) watchOnce(ctx context.Context, from int64) error {
	client, err := h.store.link.use()
	if err != nil {
		return h.untilOver(ctx, nil)
	}
	if from == 0 {
		from, err = h.look(ctx)
	}
	if errors.Is(err, lease.ErrOwnershipLost) {
		return err
	}
	if err != nil {
		return h.brief(ctx)
	}
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	prefix := h.store.keys.allOf(h.digest)
	return h.untilOver(ctx, client.Watch(watching, prefix, clientv3.WithPrefix(), clientv3.WithRev(from)))
}

// brief notices the end of the term while the cluster cannot be asked.
func (h *hold) brief(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, retryPause)
	defer cancel()
	return h.untilOver(ctx, nil)
}

// look compares what is there now with what this hold knows, and returns from which
// revision of the cluster on to watch.
func (h *hold) look(ctx context.Context) (int64, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	got, err := h.store.get(ctx, "watch", h.store.keys.record(h.digest))
	if err != nil {
		return 0, err
	}
	mine, err := h.store.get(ctx, "watch", h.key(), clientv3.WithKeysOnly())
	if err != nil {
		return 0, err
	}
	if !h.ended && (len(mine.Kvs) == 0 || mine.Kvs[0].CreateRevision != h.created) {
		return 0, lost(h.store.at(h.key()), errLifeKeyGone)
	}
	return got.Header.Revision + 1, h.judge(loadedFrom(got.Kvs))
}

// judge reports a record that came after the one that was published under this hold. The
// caller has mu.
func (h *hold) judge(now loaded) error {
	if h.ended || h.published.mod == 0 || now.mod != 0 && now.mod <= h.published.mod || now.Revision == h.published.Revision {
		return nil
	}
	return lost(h.store.at(h.store.keys.record(h.digest)), errors.New("the record is not the one that its owner published"))
}

// untilOver returns an error when the hold is lost, and nil when the watch broke or ctx
// is done.
func (h *hold) untilOver(ctx context.Context, changes clientv3.WatchChan) error {
	for {
		end := time.NewTimer(h.term.left())
		select {
		case <-ctx.Done():
			end.Stop()
			return nil
		case <-h.term.ended:
			end.Stop()
		case <-end.C:
		case change, ok := <-changes:
			end.Stop()
			if !ok || change.Err() != nil {
				return nil
			}
			if err := h.judgeAll(change.Events); err != nil {
				return err
			}
		}
		switch err := h.lostNow(); {
		case h.isOver():
			return nil
		case err != nil:
			return err
		}
	}
}

// isOver reports whether the hold was ended by its owner: then nothing can be lost any
// more.
func (h *hold) isOver() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ended
}

// judgeAll waits for a publish or the end of this hold in progress: neither is a loss.
func (h *hold) judgeAll(events []*clientv3.Event) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		if h.ended {
			return nil
		}
		switch string(e.Kv.Key) {
		case h.key():
			if e.Type == mvccpb.Event_DELETE {
				return lost(h.store.at(h.key()), errLifeKeyGone)
			}
		case h.store.keys.record(h.digest):
			now := loaded{}
			if e.Type == mvccpb.Event_PUT {
				now = loadedFrom([]*mvccpb.KeyValue{e.Kv})
			}
			if err := h.judge(now); err != nil {
				return err
			}
		}
	}
	return nil
}
