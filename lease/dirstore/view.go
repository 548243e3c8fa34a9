package dirstore

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

// view looks at one session through the descriptor of its directory. It answers what is
// plain: a store in order, a small record in its place, a life lock that is held. All
// else, errors too, it leaves to the store, which looks from the beginning.
type view struct {
	store  *Store
	digest ownership.Digest
	at     place // what is not open there is not plain
	seen   seen
}

// seen is the record that was read last. The same bytes have the same revision.
type seen struct {
	lease.Stored
	id      durable.ID // of the file
	written time.Time  // as the file says
}

// View opens the session's directory, with every check of the store that opening it any
// other way makes.
func (s *Store) View(d ownership.Digest) lease.View { return s.view(d) }

func (s *Store) view(d ownership.Digest) *view {
	at, _ := s.openPlace(d) // what is wrong, the long way tells
	return &view{store: s, digest: d, at: at}
}

// plainlyLacks reports whether a session's directory certainly has nothing of this name.
func (s *Store) plainlyLacks(d ownership.Digest, name string) bool {
	v := s.view(d)
	defer v.Close()
	return lacksAt(v.at.self, name)
}

func (v *view) Close() { v.at.close() }

func (v *view) Load(ctx context.Context) (lease.Stored, error) {
	if v.loads() && ctx.Err() == nil {
		return v.seen.Stored, nil
	}
	return v.store.loadAnyhow(ctx, v.digest)
}

// loads reads a record that is plain, or sees that the session plainly has none.
func (v *view) loads() bool {
	b, st := v.small(recordName)
	switch {
	case b != nil && (v.seen.Bytes == nil || !bytes.Equal(b, v.seen.Bytes)): // an empty file is no vacant session
		v.seen = seen{lease.Stored{Bytes: b, Revision: ownership.RevisionOf(b)}, durable.IDOf(&st), modTime(&st)}
	case b != nil:
		v.seen.id, v.seen.written = durable.IDOf(&st), modTime(&st)
	case v.isVacant():
		v.seen = seen{}
	default:
		return false
	}
	return true
}

// isVacant reports whether there is certainly neither a record nor a file of history,
// which would tell a record that is lost from one that never was. The record is looked for
// last: a first one that appeared meanwhile has a history of its own.
func (v *view) isVacant() bool {
	if v.at.self < 0 {
		return lacksAt(v.at.sessions, v.digest.String())
	}
	names, err := durable.NamesAt(v.at.self)
	isRev := func(name string) bool { return strings.HasPrefix(name, revPrefix) }
	return err == nil && !slices.ContainsFunc(names, isRev) && lacksAt(v.at.self, recordName)
}

// Probe asks for the locks here where that is plain. A life lock that is held makes every
// other question moot.
func (v *view) Probe(ctx context.Context, r ownership.Record) (ownership.Liveness, error) {
	if r.KeyDigest != v.digest || ctx.Err() != nil {
		return v.store.Probe(ctx, r)
	}
	life := v.lock(lifeName(r.Generation))
	kin := lockMissing
	if life == lockFree {
		kin = v.lock(kinName(r.Generation))
	}
	if life == lockHeld || life == lockFree && kin != lockUnknown {
		return v.store.probe(ctx, r, plainly{v, life, kin})
	}
	return v.store.Probe(ctx, r)
}

// plainly is what a view found out about the locks of a generation.
type plainly struct {
	*view
	life, kin lockState
}

func (a plainly) lock(l ownership.Lock) (lockState, error) {
	if l == ownership.KinLock {
		return a.kin, nil
	}
	return a.life, nil
}

func (a plainly) pulse(ctx context.Context) ([]byte, error) { return a.view.Pulse(ctx) }

func (v *view) Pulse(ctx context.Context) ([]byte, error) {
	if ctx.Err() == nil {
		if lacksAt(v.at.self, pulseName) {
			return nil, nil
		}
		if b, _ := v.small(pulseName); b != nil {
			return b, nil
		}
	}
	return v.store.Pulse(ctx, v.digest)
}

// small returns the bytes of a regular file that is no larger than a record, or nil, and
// what the file was when it was opened.
func (v *view) small(name string) (b []byte, st unix.Stat_t) {
	f, st, err := v.open(name)
	if err != nil {
		return nil, st
	}
	defer unix.Close(f)
	return readSmall(f, st.Size), st
}

func modTime(st *unix.Stat_t) time.Time { return time.Unix(st.Mtim.Unix()) }

// open opens a regular file to read it, and returns what it was then.
func (v *view) open(name string) (fd int, st unix.Stat_t, err error) {
	if v.at.self < 0 {
		return -1, st, unix.EBADF
	}
	f, err := durable.OpenAt(v.at.self, name, unix.O_RDONLY)
	if err != nil {
		return -1, st, err
	}
	err = unix.Fstat(f, &st)
	if err == nil && !isRegular(&st) {
		err = errReplaced
	}
	if err != nil {
		unix.Close(f)
		return -1, st, err
	}
	return f, st, nil
}

// readSmall reads a file as it was when it had that size; nil for one with too many bytes,
// or fewer than that, or that cannot be read. What we wrote never changes its size.
func readSmall(f int, size int64) []byte {
	if size > ownership.MaxRecordSize {
		return nil
	}
	b := make([]byte, size)
	for read := 0; read < len(b); {
		n, err := unix.Read(f, b[read:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return nil
		}
		read += n
	}
	return b
}

// lock looks whether somebody holds the lock of a file. The shared lock of its own, where
// there is none, lasts for microseconds and is freed before the descriptor is closed. What
// is not plain is unknown.
func (v *view) lock(name string) lockState {
	f, _, err := v.open(name)
	switch {
	case err == unix.ENOENT:
		return lockMissing
	case err != nil:
		return lockUnknown
	}
	defer unix.Close(f)
	switch err := lockNow(f, unix.LOCK_SH); {
	case err == unix.EWOULDBLOCK:
		return lockHeld
	case err == nil && unlock(f) == nil:
		return lockFree
	}
	return lockUnknown
}
