package dirstore

import (
	"context"
	"errors"
	"time"

	"holdfast/internal/durable"
	"holdfast/lease"
)

// Watch asks again and again whether this hold is still in force. What cannot be
// asked is not lost.
func (h *hold) Watch(ctx context.Context) error {
	ticker := time.NewTicker(lease.WatchInterval)
	defer ticker.Stop()
	for {
		if err := h.check(ctx); errors.Is(err, lease.ErrOwnershipLost) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}

// check returns an error that wraps ErrOwnershipLost when the hold is not in force
// any more. A publish or the end of this hold in progress is waited for: neither is a
// loss.
func (h *hold) check(ctx context.Context) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended {
		return nil
	}
	is, err := h.names()
	if err == nil && !is {
		return h.lost("its file was removed or replaced")
	}
	if err != nil || h.published == nil {
		return err
	}
	return h.checkRecord(ctx)
}

// checkRecord looks at the bytes only where the file is another one.
func (h *hold) checkRecord(ctx context.Context) error {
	e, err := durable.LstatAt(h.view.at.self, recordName)
	if err == nil && e.ID == h.published.id {
		return nil
	}
	stored, err := h.load(ctx)
	if err != nil || stored.Revision == h.published.revision {
		return err
	}
	return h.lost("the record is not the one that its owner published")
}
