package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// furnished is a store with very many sessions, made without the syncs that somebody who
// needs them afterwards would make: what reads them cannot tell.
type furnished struct {
	*dirstore.Store
	owner  ownership.Owner // of every session
	n      int             // sessions that were furnished
	others int             // sessions that were really acquired
}

// furnish makes a store whose sessions have the owner of one that was really acquired.
func (l *lab) furnish() (*furnished, error) {
	s, err := l.store()
	if err != nil {
		return nil, err
	}
	owner, err := l.deadOwner(s)
	return &furnished{Store: s, owner: owner, others: 1}, err
}

// deadOwner is what a host that was killed left in a record. Its session is released
// again by nobody: it is the first that is stranded.
func (l *lab) deadOwner(s *dirstore.Store) (o ownership.Owner, err error) {
	w, err := startWorker(l.program("host"), "hold", s.Identity(), "the first")
	if err != nil {
		return o, err
	}
	if _, err := w.line(); err != nil {
		return o, err
	}
	if err := w.cmd.Process.Kill(); err != nil {
		return o, err
	}
	_ = w.cmd.Wait() // it was killed
	stored, err := s.Load(background, keyOf("the first").Digest())
	if err != nil {
		return o, err
	}
	r, err := ownership.Decode(stored.Bytes)
	if err != nil {
		return o, err
	}
	return *r.Owner, nil
}

// grow adds sessions until there are n beside the first, and returns their keys' digests.
func (f *furnished) grow(n int, state ownership.RecordState) error {
	var all sync.WaitGroup
	faults := make(chan error, builders)
	from := f.n
	for b := range builders {
		all.Go(func() {
			for i := from + b; i < n; i += builders {
				if err := f.add(i, state); err != nil {
					faults <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(faults)
	f.n = n
	return errors.Join(<-faults)
}

// builders is how many sessions are made at once.
const builders = 8

func (f *furnished) key(i int) ownership.Key { return keyOf("agents/%d", i) }

func (f *furnished) dir(d ownership.Digest) string {
	return filepath.Join(f.Identity(), "sessions", d.String())
}

// add makes one session: its record, under its two names, and the life lock's file of
// one that is active.
func (f *furnished) add(i int, state ownership.RecordState) error {
	key := f.key(i)
	b, err := f.record(key, state)
	if err != nil {
		return err
	}
	if err := f.write(key.Digest(), b); err != nil || state == ownership.RecordIdle {
		return err
	}
	return os.WriteFile(filepath.Join(f.dir(key.Digest()), "life.1"), nil, 0o600)
}

// write gives a session its directory and its record.
func (f *furnished) write(d ownership.Digest, b []byte) error {
	dir := f.dir(d)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	record := filepath.Join(dir, "record.json")
	rev := filepath.Join(dir, fmt.Sprintf("rev.%s.json", ownership.RevisionOf(b)))
	return errors.Join(os.WriteFile(record, b, 0o600), os.Link(record, rev))
}

func (f *furnished) record(key ownership.Key, state ownership.RecordState) ([]byte, error) {
	r, err := ownership.Acquire(ownership.Current{}, ownership.Claim{Key: key, Owner: f.owner})
	if err != nil {
		return nil, err
	}
	b, err := ownership.Encode(r)
	if err != nil || state == ownership.RecordActive {
		return b, err
	}
	if r, err = ownership.ReleaseAcknowledge(ownership.Current{Record: &r, Revision: ownership.RevisionOf(b)}); err != nil {
		return nil, err
	}
	return ownership.Encode(r)
}
