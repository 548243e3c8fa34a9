package dirstore

import (
	"context"
	"os"

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
	dir    int // < 0: nothing is plain
}

// View opens the session's directory, with every check of the store that opening it any
// other way makes.
func (s *Store) View(d ownership.Digest) lease.View {
	x := survey{s, s.openSessions()}
	defer x.close()
	return x.View(d)
}

// plainlyLacks reports whether a session's directory certainly has nothing of this name.
func (s *Store) plainlyLacks(d ownership.Digest, name string) bool {
	x := survey{s, s.openSessions()}
	defer x.close()
	v := &view{s, d, openPlainly(x.sessions, d)}
	defer v.Close()
	return v.lacks(name)
}

// openSessions returns a descriptor of sessions/, or a negative number where there is none
// or something is not as it should be. No link is followed below the store.
func (s *Store) openSessions() int {
	store, err := openDirectory(unix.AT_FDCWD, s.path)
	if err != nil {
		return -1
	}
	defer unix.Close(store)
	if !s.plainlyOwn(store) {
		return -1
	}
	sessions, err := openDirectory(store, sessionsName)
	if err != nil {
		return -1
	}
	return sessions
}

// openPlainly returns a descriptor of the session's directory, or a negative number.
func openPlainly(sessions int, d ownership.Digest) int {
	if sessions < 0 {
		return -1
	}
	self, err := openDirectory(sessions, d.String())
	if err != nil {
		return -1
	}
	return self
}

// plainlyOwn asks what checkOwn and checkCondition ask.
func (s *Store) plainlyOwn(store int) bool {
	var self, marker unix.Stat_t
	if unix.Fstat(store, &self) != nil || unix.Fstatat(store, markerName, &marker, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	private := self.Uid == uint32(os.Geteuid()) && self.Mode&0o022 == 0
	return (private || s.lenient) && isRegular(marker)
}

func isRegular(st unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFREG }

func openDirectory(at int, name string) (int, error) {
	return openAt(at, name, unix.O_RDONLY|unix.O_DIRECTORY)
}

// openAt opens a name of one element, or the store's path, and never a link.
func openAt(at int, name string, flags int) (fd int, err error) {
	err = durable.Retry(func() error {
		fd, err = unix.Openat(at, name, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		return err
	})
	return fd, err
}

func (v *view) Close() {
	if v.dir >= 0 {
		unix.Close(v.dir) // nothing was written through it
	}
}

func (v *view) Load(ctx context.Context) (lease.Stored, error) {
	if b := v.small(recordName); b != nil && ctx.Err() == nil {
		return lease.Stored{Bytes: b, Revision: ownership.RevisionOf(b)}, nil
	}
	return v.store.loadAnyhow(ctx, v.digest)
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
		if v.lacks(pulseName) {
			return nil, nil
		}
		if b := v.small(pulseName); b != nil {
			return b, nil
		}
	}
	return v.store.Pulse(ctx, v.digest)
}

// lacks reports whether nothing certainly has this name.
func (v *view) lacks(name string) bool {
	var st unix.Stat_t
	return v.dir >= 0 && unix.Fstatat(v.dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == unix.ENOENT
}

// small returns the bytes of a regular file that is no larger than a record, or nil.
func (v *view) small(name string) []byte {
	f, size, ok := v.open(name)
	if !ok {
		return nil
	}
	defer unix.Close(f)
	return readSmall(f, size)
}

// open opens a regular file to read it, and returns what size it had then.
func (v *view) open(name string) (fd int, size int64, ok bool) {
	if v.dir < 0 {
		return -1, 0, false
	}
	f, err := openAt(v.dir, name, unix.O_RDONLY)
	if err != nil {
		return -1, 0, false
	}
	var st unix.Stat_t
	if unix.Fstat(f, &st) != nil || !isRegular(st) {
		unix.Close(f)
		return -1, 0, false
	}
	return f, st.Size, true
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
	f, _, ok := v.open(name)
	switch {
	case !ok && v.lacks(name):
		return lockMissing
	case !ok:
		return lockUnknown
	}
	defer unix.Close(f)
	err := durable.Retry(func() error { return unix.Flock(f, unix.LOCK_SH|unix.LOCK_NB) })
	switch {
	case err == unix.EWOULDBLOCK:
		return lockHeld
	case err == nil && durable.Retry(func() error { return unix.Flock(f, unix.LOCK_UN) }) == nil:
		return lockFree
	}
	return lockUnknown
}
