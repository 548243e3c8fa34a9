package dirstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/durable"
	"holdfast/lease"
)

// failed gives what a call met the form that callers are promised. A [*lease.StoreError]
// stays as it is.
func (s *Store) failed(op, path string, err error) error {
	var done *lease.StoreError
	var irregular *irregularError
	switch {
	case err == nil || errors.As(err, &done):
		return err
	case errors.Is(err, fs.ErrPermission):
		return s.denied(op, path, err)
	case errors.As(err, &irregular), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP), errors.Is(err, errReplaced):
		return &lease.StoreError{
			Kind: lease.ErrStoreUnavailable, Op: op, Path: path, Err: err,
			Advice: "something else stands in the place of a file of this store: find out who put it there",
		}
	}
	return &lease.StoreError{Op: op, Path: path, Err: err}
}

// denied says which file is in the way, whose it is, and what to do.
func (s *Store) denied(op, path string, err error) error {
	culprit, e := s.culprit(path)
	if ours := e.UID == uint32(os.Geteuid()); !ours && s.encloses(culprit) {
		return foreignOwner(op, culprit, e.UID)
	} else if !ours {
		return outside(op, culprit, e, err)
	}
	advice := "it is yours, and its mode allows it: see what else the system refuses it for"
	if lacks(e) {
		advice = fmt.Sprintf("it is yours: chmod u=rwX %q", culprit)
	}
	return &lease.StoreError{
		Kind: lease.ErrPermission, Op: op, Path: culprit, Err: &shutError{e.Mode, err}, Advice: advice,
	}
}

// outside is denied on the way to the store. What stands there is not the store's, and
// no advice of ours touches it.
func outside(op, path string, e durable.Entry, err error) error {
	return &lease.StoreError{
		Kind: lease.ErrPermission, Op: op, Path: path,
		Err:    fmt.Errorf("it belongs to %s, and this is %s: %w", userName(e.UID), userName(uint32(os.Geteuid())), err),
		Advice: "name a store of your own (--store, HOLDFAST_STORE or XDG_STATE_HOME), or act as the user whose store it is",
	}
}

// encloses reports whether path is the store or lies in it.
func (s *Store) encloses(path string) bool {
	return path == s.path || strings.HasPrefix(path, s.path+"/")
}

// foreignOwner refuses what belongs to another user.
func foreignOwner(op, path string, uid uint32) error {
	me := os.Geteuid()
	return &lease.StoreError{
		Kind: lease.ErrPermission, Op: op, Path: path,
		Err: fmt.Errorf("it belongs to %s, and this is %s", userName(uid), userName(uint32(me))),
		Advice: fmt.Sprintf("have %s hand it over (chown -R %d %q), act as that user, or name a store of your own",
			userName(uid), me, path),
	}
}

func userName(uid uint32) string {
	if uid == 0 {
		return "root"
	}
	return fmt.Sprintf("uid %d", uid)
}

// shutError is returned where a file of ours shuts us out. It may be one whose maker,
// under a hostile umask, had yet to set its mode, and may have done so since.
type shutError struct {
	mode fs.FileMode
	err  error
}

func (e *shutError) Error() string { return fmt.Sprintf("its mode is %s: %v", e.mode, e.err) }
func (e *shutError) Unwrap() error { return e.err }

// lacks reports whether the mode of a file of ours takes from us what we need.
func lacks(e durable.Entry) bool {
	need := durable.FileMode
	if e.Mode.IsDir() {
		need = durable.DirMode
	}
	return e.Mode&need != need
}

// culprit returns the outermost file on the way to path that can be the reason why
// access was denied: one that cannot be looked into, or one at or below the store
// that is not ours or lacks a mode.
func (s *Store) culprit(path string) (string, durable.Entry) {
	var last durable.Entry
	at := "/"
	for _, element := range append([]string{""}, strings.Split(strings.TrimPrefix(path, "/"), "/")...) {
		next := filepath.Join(at, element)
		info, err := os.Lstat(next)
		if err != nil {
			return at, last
		}
		at, last = next, durable.EntryOf(info)
		if s.encloses(at) && (last.UID != uint32(os.Geteuid()) || lacks(last)) {
			return at, last
		}
	}
	return at, last
}

// makingTime bounds how long a file of ours may take from its creation to its mode.
const makingTime = time.Second

// patiently tries again for a short while what met a file of ours that shut us out.
func patiently(attempt func() error) error {
	deadline := time.Now().Add(makingTime)
	for {
		err := attempt()
		var shut *shutError
		if !errors.As(err, &shut) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// noLinks reports whether err says that the file system has no hard links.
func noLinks(err error) bool {
	var link *os.LinkError
	unsupported := errors.Is(err, syscall.EPERM) || errors.Is(err, errors.ErrUnsupported)
	return errors.As(err, &link) && strings.HasPrefix(link.Op, "link") && unsupported
}
