package dirstore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"holdfast/internal/durable"
	"holdfast/lease"
	"holdfast/ownership"
)

var _ lease.Verdicts = (*Store)(nil)

const (
	verdictName       = "verdict.json"
	verdictPrefix     = verdictName + "."
	verdictRandomSize = 8 // bytes, in hex
)

// isVerdictTemporary reports whether a name is that of a verdict being written.
func isVerdictTemporary(name string) bool {
	random, ok := strings.CutPrefix(name, verdictPrefix)
	b, err := hex.DecodeString(random)
	return ok && err == nil && len(b) == verdictRandomSize
}

// Verdict returns the bytes of verdict.json.
func (s *Store) Verdict(ctx context.Context, d ownership.Digest) (lease.Stored, error) {
	if err := ctx.Err(); err != nil {
		return lease.Stored{}, err
	}
	if s.plainlyLacks(d, verdictName) {
		return lease.Stored{}, nil
	}
	x, err := s.openSession(d)
	if x == nil {
		return lease.Stored{}, err
	}
	defer x.Close()
	stored, err := readVerdict(x.Root)
	return stored, s.failed("read verdict", s.verdictPath(d), err)
}

func (s *Store) verdictPath(d ownership.Digest) string {
	return s.at(sessionsName, d.String(), verdictName)
}

func readVerdict(x *os.Root) (lease.Stored, error) {
	f, err := openRegular(x, verdictName)
	var irregular *irregularError
	switch {
	case errors.As(err, &irregular):
		return lease.Stored{Revision: ownership.RevisionOf(faultLine(irregular.Error())), Fault: irregular}, nil
	case err != nil:
		return lease.Stored{}, ignoreMissing(err)
	}
	stored, err := verdictIn(f)
	return stored, errors.Join(err, f.Close())
}

// verdictIn holds at most one byte more than a verdict may have. A larger file is told
// apart by what it is and not by its bytes: it may have a terabyte of them.
func verdictIn(f *os.File) (lease.Stored, error) {
	b, err := io.ReadAll(io.LimitReader(f, lease.MaxVerdictSize+1))
	if err != nil {
		return lease.Stored{}, err
	}
	if len(b) <= lease.MaxVerdictSize {
		return lease.Stored{Bytes: b, Revision: ownership.RevisionOf(b)}, nil
	}
	info, err := f.Stat()
	if err != nil {
		return lease.Stored{}, err
	}
	which := fmt.Sprint(verdictName, durable.EntryOf(info).ID, info.Size(), info.ModTime().UnixNano())
	why := fmt.Errorf("%s is larger than %d bytes", verdictName, lease.MaxVerdictSize)
	return lease.Stored{Revision: ownership.RevisionOf(faultLine(which)), Fault: why}, nil
}

// SetVerdict replaces verdict.json: create → fchmod → write → fsync → close, then
// under the directory's lock compare and rename, then fsync the directory. Readers
// see the old one or the new one, whole.
func (s *Store) SetVerdict(ctx context.Context, d ownership.Digest, record ownership.Revision, b []byte) error {
	if len(b) > lease.MaxVerdictSize {
		return &ownership.FieldError{Field: "verdict", Why: fmt.Sprintf("has %d bytes, more than %d", len(b), lease.MaxVerdictSize)}
	}
	return s.changeVerdict(ctx, d, "write verdict", func(c *verdictChange) error { return c.replace(ctx, record, b) })
}

// ClearVerdict removes verdict.json.
func (s *Store) ClearVerdict(ctx context.Context, d ownership.Digest, seen ownership.Revision) error {
	return s.changeVerdict(ctx, d, "clear verdict", func(c *verdictChange) error {
		return c.locked(ctx, func() error { return c.remove(seen) })
	})
}
