package dirstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"holdfast/lease"
	"holdfast/ownership"
)

// Load returns the bytes of record.json.
func (s *Store) Load(ctx context.Context, d ownership.Digest) (lease.Stored, error) {
	v := s.View(d)
	defer v.Close()
	return v.Load(ctx)
}

// loadAnyhow returns whatever is in the place of record.json.
func (s *Store) loadAnyhow(ctx context.Context, d ownership.Digest) (lease.Stored, error) {
	if err := ctx.Err(); err != nil {
		return lease.Stored{}, err
	}
	x, err := s.openSession(d)
	if x == nil {
		return lease.Stored{}, err
	}
	defer x.Close()
	return s.loadFrom(ctx, x.Root, d)
}

func (s *Store) loadFrom(ctx context.Context, x *os.Root, d ownership.Digest) (lease.Stored, error) {
	stored, err := load(ctx, x)
	return stored, s.failed("read record", s.at(sessionsName, d.String(), recordName), err)
}

// load reads record.json of an open session directory.
func load(ctx context.Context, x *os.Root) (lease.Stored, error) {
	for range manyTimes {
		f, err := openRegular(x, recordName)
		if err == nil {
			stored, err := readStored(ctx, f)
			return stored, errors.Join(err, f.Close())
		}
		var irregular *irregularError
		if errors.As(err, &irregular) {
			return faulty(irregular.Error()), nil
		}
		if !missing(err) {
			return lease.Stored{}, err
		}
		stored, err := loadMissing(ctx, x)
		if err != nil {
			return lease.Stored{}, err
		}
		// A first record that appeared while history was looked at has a history of its own.
		if _, err := x.Lstat(recordName); missing(err) {
			return stored, nil
		}
	}
	return lease.Stored{}, errReplaced
}

// faulty is what stands for something that has no bytes to hash: its revision is that
// of one line that says what it is.
func faulty(what string) lease.Stored {
	return lease.Stored{
		Revision: ownership.RevisionOf(faultLine(what)),
		Fault:    &ownership.FormatError{Why: what},
	}
}

func faultLine(what string) []byte { return []byte(what + "\n") }

// missingFault says that the record is gone and not that there never was one.
const missingFault = recordName + " is missing beside the files of its history"

// loadMissing decides what a session without record.json is. A first publish that died
// leaves a rev file without predecessor, and the session vacant; with any other rev
// file the record was there once.
func loadMissing(ctx context.Context, x *os.Root) (lease.Stored, error) {
	names, err := namesIn(x)
	if err != nil {
		return lease.Stored{}, err
	}
	for _, name := range names {
		if _, ok := revisionName(name); !ok {
			continue
		}
		first, err := isFirstRecord(ctx, x, name)
		if err != nil {
			return lease.Stored{}, err
		}
		if !first {
			return faulty(missingFault), nil
		}
	}
	return lease.Stored{}, nil
}

func isFirstRecord(ctx context.Context, x *os.Root, name string) (bool, error) {
	stored, err := readNamed(ctx, x, name)
	var irregular *irregularError
	switch {
	case errors.As(err, &irregular):
		return false, nil
	case err != nil:
		return missing(err), ignoreMissing(err)
	}
	r, err := ownership.Decode(stored.Bytes)
	return err == nil && r.PreviousRevision == nil, nil
}

func ignoreMissing(err error) error {
	if missing(err) {
		return nil
	}
	return err
}

// readNamed reads one regular file.
func readNamed(ctx context.Context, x *os.Root, name string) (lease.Stored, error) {
	f, err := openRegular(x, name)
	if err != nil {
		return lease.Stored{}, err
	}
	stored, err := readStored(ctx, f)
	return stored, errors.Join(err, f.Close())
}

// readStored holds at most one byte more than a record may have. Of a larger file it
// keeps the hash only.
func readStored(ctx context.Context, f *os.File) (lease.Stored, error) {
	read := bytes.NewBuffer(make([]byte, 0, 8<<10)) // most records are read at once
	if _, err := read.ReadFrom(io.LimitReader(f, ownership.MaxRecordSize+1)); err != nil {
		return lease.Stored{}, err
	}
	b := read.Bytes()
	if len(b) <= ownership.MaxRecordSize {
		return lease.Stored{Bytes: b, Revision: ownership.RevisionOf(b)}, nil
	}
	revision, err := hashFile(ctx, f)
	why := fmt.Sprintf("it is larger than %d bytes", ownership.MaxRecordSize)
	return lease.Stored{Revision: revision, Fault: &ownership.FormatError{Why: why}}, err
}
