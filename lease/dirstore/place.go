package dirstore

import (
	"os"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/ownership"
)

// place is the open directories of one session: the store's, that of all sessions, and its
// own. A negative number is none.
type place struct {
	store, sessions, self int
	shared                bool // but for its own
}

var nowhere = place{store: -1, sessions: -1, self: -1}

// isWhole reports whether every directory is open.
func (p place) isWhole() bool { return p.store >= 0 && p.sessions >= 0 && p.self >= 0 }

// close closes what is not shared. Nothing was written through it.
func (p place) close() {
	closeDir(p.self)
	if !p.shared {
		closeDir(p.sessions)
		closeDir(p.store)
	}
}

func closeDir(fd int) {
	if fd >= 0 {
		unix.Close(fd)
	}
}

// openPlace opens the directories of a session where everything is as it should be. No
// link is followed below the store. With an error it returns what could be opened.
func (s *Store) openPlace(d ownership.Digest) (p place, err error) {
	p, err = s.openRooms()
	if err == nil {
		p.self, err = durable.OpenDirAt(p.sessions, d.String())
	}
	return p, err
}

// openRooms opens all but the session's own, once where many share them. Should the store
// be replaced meanwhile, they are still of the one that was there: whoever publishes asks
// by the full path of its life lock.
func (s *Store) openRooms() (p place, err error) {
	if s.rooms != nil {
		return *s.rooms, nil
	}
	p = nowhere
	if p.store, err = durable.OpenDirAt(unix.AT_FDCWD, s.path); err != nil {
		return p, err
	}
	if !s.plainlyOwn(p.store) {
		return p, errReplaced
	}
	s.met.Store(true)
	p.sessions, err = durable.OpenDirAt(p.store, sessionsName)
	return p, err
}

// plainlyOwn asks what checkOwn and checkCondition ask.
func (s *Store) plainlyOwn(store int) bool {
	var self, marker unix.Stat_t
	if unix.Fstat(store, &self) != nil || unix.Fstatat(store, markerName, &marker, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return false
	}
	private := self.Uid == uint32(os.Geteuid()) && self.Mode&0o022 == 0
	return (private || s.lenient) && isRegular(&marker)
}

func isRegular(st *unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFREG }

// lacksAt reports whether nothing certainly has this name in a directory.
func lacksAt(dir int, name string) bool {
	var st unix.Stat_t
	return dir >= 0 && unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW) == unix.ENOENT
}

// claimPlace returns the directories of the session, which the view has no longer, and
// makes what is missing.
func (v *view) claimPlace() (place, error) {
	if err := v.store.checkFileSystem(); err != nil {
		return nowhere, err
	}
	if v.completes() {
		at := v.at
		v.at = nowhere
		return at, nil
	}
	x, err := v.store.makeSession(v.digest)
	if err != nil {
		return nowhere, err
	}
	if err := x.Close(); err != nil {
		return nowhere, err
	}
	at, err := v.store.openPlace(v.digest)
	if err != nil {
		at.close()
	}
	return at, v.store.failed("open", v.store.SessionPath(v.digest), err)
}

// completes makes the session's directory in a store that is plainly whole. The first
// publish makes its name durable. What it cannot do, the long way does or tells.
func (v *view) completes() bool {
	if v.at.sessions < 0 || lacksAt(v.at.store, quarantineName) {
		return false
	}
	if v.at.self < 0 {
		sessions := v.store.watched(durable.DirAt(v.at.sessions, v.store.SessionsPath()))
		if self, err := makeDir(sessions, v.digest.String()); err == nil {
			v.at.self = durable.Descriptor(self)
		}
	}
	return v.at.isWhole()
}
