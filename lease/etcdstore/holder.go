package etcdstore

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"sync"

	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// holder is what a life key says of the process that holds it.
type holder struct {
	Host       string  `json:"host"`
	HostID     *string `json:"hostId"`
	BootID     *string `json:"bootId"`
	Namespace  *uint64 `json:"pidNamespace"`
	PID        int     `json:"pid"`
	StartTicks uint64  `json:"startTicks"`
	Program    string  `json:"program"`
	Nonce      string  `json:"nonce"` // no two life keys are the same
}

var thisProcess = sync.OnceValue(func() holder {
	self, host := procid.Self(), procid.ThisHost()
	return holder{host.Name, host.ID, host.BootID, host.PIDNamespace, os.Getpid(), self.StartTicks, self.Program, ""}
})

func thisHolder() string {
	h := thisProcess()
	h.Nonce = rand.Text()
	b, err := json.Marshal(h)
	if err != nil {
		return h.Nonce // the rest is evidence only
	}
	return string(b)
}

// here reports whether the holder's number is one of a process that can be seen from
// here.
func (h holder) here() bool {
	host := procid.ThisHost()
	return h.BootID != nil && host.BootID != nil && *h.BootID == *host.BootID &&
		h.Namespace != nil && host.PIDNamespace != nil && *h.Namespace == *host.PIDNamespace
}

// ended reports whether the holder is known to be gone, though the cluster keeps its key
// for a while. Its number may be another process's by now.
func (h holder) ended() bool {
	if !h.here() {
		return false
	}
	_, lives, err := procid.Exists(h.Namespace, h.PID, &h.StartTicks)
	return err == nil && !lives
}

// Holders names the holder of a life key if it runs on this machine: the number of a
// process elsewhere would be taken for one of this machine's.
func (s *Store) Holders(ctx context.Context, d ownership.Digest, g ownership.Generation, l ownership.Lock) ([]ownership.Process, error) {
	if l != ownership.LifeLock {
		return nil, ctx.Err()
	}
	key := s.keys.life(d, g)
	got, err := s.get(ctx, "read life key", key)
	if err != nil || len(got.Kvs) == 0 {
		return nil, err
	}
	h, err := parseHolder(got.Kvs[0].Value)
	if err != nil {
		return nil, &lease.StoreError{Op: "read life key", Path: s.at(key), Err: err}
	}
	if !h.here() || h.ended() {
		return nil, nil
	}
	return []ownership.Process{{PID: h.PID, StartTicks: h.StartTicks, Program: h.Program}}, nil
}

func parseHolder(b []byte) (h holder, err error) {
	err = json.Unmarshal(b, &h)
	return h, err
}
