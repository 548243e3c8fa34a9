package dirstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"holdfast/internal/durable"
	"holdfast/internal/random"
	"holdfast/lease"
	"holdfast/ownership"
)

// Pulse returns the bytes of pulse.json, or nil.
func (s *Store) Pulse(ctx context.Context, d ownership.Digest) ([]byte, error) {
	x, err := s.openSession(d)
	if x == nil {
		return nil, err
	}
	defer x.Close()
	stored, err := readNamed(ctx, x.Root, pulseName)
	if err == nil && stored.Fault != nil {
		err = fmt.Errorf("it is larger than %d bytes", ownership.MaxRecordSize)
	}
	return stored.Bytes, s.failed("read pulse", s.at(sessionsName, d.String(), pulseName), ignoreMissing(err))
}

// SetPulse replaces pulse.json by a rename without any sync: readers see the old one
// or the new one, and after a power failure neither is worth anything.
func (s *Store) SetPulse(ctx context.Context, d ownership.Digest, b []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := s.at(sessionsName, d.String(), pulseName)
	x, err := s.openSession(d)
	if err != nil {
		return err
	}
	if x == nil {
		return &lease.StoreError{Op: "write pulse", Path: path, Err: errors.New("there is no such session")}
	}
	defer x.Close()
	return s.failed("write pulse", path, s.replacePulse(x, b))
}

func (s *Store) replacePulse(x *session, b []byte) error {
	if _, err := lstatRegular(x.Root, pulseName); ignoreMissing(err) != nil {
		return err
	}
	dir, err := s.dir(x.Root)
	if err != nil {
		return err
	}
	defer dir.Close()
	var unique [pulseRandomSize]byte
	random.Read(unique[:])
	temporary := pulsePrefix + hex.EncodeToString(unique[:])
	err = writeFile(dir, temporary, b)
	if err == nil {
		err = dir.Rename(temporary, pulseName)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(dir.Remove(temporary)))
	}
	return nil
}

// writeFile makes a file that must not exist. It does not sync.
func writeFile(dir durable.Dir, name string, b []byte) error {
	f, err := dir.Create(name)
	if err != nil {
		return err
	}
	err = f.Chmod(durable.FileMode)
	if err == nil {
		_, err = f.Write(b)
	}
	return errors.Join(err, f.Close())
}
