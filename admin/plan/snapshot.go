package plan

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"holdfast/admin/evidence"
	"holdfast/internal/gitwork"
	"holdfast/lease"
	"holdfast/ownership"
)

// keeps reports whether a session names work of which a snapshot is taken.
func keeps(s ownership.Session) bool { return s.Worktree != nil || s.Tracker != nil }

// take takes a snapshot and notes what the sources looked like before, so that whatever was written since is noticed.
func take(ctx context.Context, s lease.Store, i lease.Inspection, o evidence.Options) (*Snapshot, error) {
	seen, err := fingerprint(ctx, i.Record.Session)
	if err != nil {
		return nil, err
	}
	taken, err := evidence.Take(ctx, s, i, o)
	if err != nil {
		return nil, err
	}
	return &Snapshot{
		Dir: taken.Dir, Manifest: taken.Manifest, Seen: seen,
		IncludesIgnored: o.IncludeIgnored, LeavesOut: leavesOut(*taken),
	}, nil
}

func leavesOut(t evidence.Taken) []string {
	all := append([]string{}, t.Findings...)
	for _, o := range t.Snapshot.OutOfScope {
		all = append(all, fmt.Sprintf("%s (%d): %s", o.What, o.Count, o.Why))
	}
	return all
}

// fingerprint differs when anything was written in what a record names.
func fingerprint(ctx context.Context, s ownership.Session) (string, error) {
	sum := sha256.New()
	if s.Worktree != nil {
		r, err := gitwork.Locate(*s.Worktree)
		if err != nil {
			return "", err
		}
		of, err := gitwork.Fingerprint(ctx, r)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(sum, of)
	}
	for _, path := range files(s) {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fmt.Fprintf(sum, "%q none\n", path)
		case err != nil:
			return "", err
		default:
			fmt.Fprintf(sum, "%q %v %d %d\n", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

func files(s ownership.Session) (all []string) {
	if s.Tracker != nil {
		all = append(all, *s.Tracker, *s.Tracker+"-wal", *s.Tracker+"-journal")
	}
	if s.Transcript != nil {
		all = append(all, *s.Transcript)
	}
	return all
}

// still reports whether nothing was written since the snapshot. What cannot be looked at may have been.
func (s Snapshot) still(ctx context.Context, work ownership.Session) bool {
	seen, err := fingerprint(ctx, work)
	return err == nil && seen == s.Seen
}

// verify returns why a snapshot cannot be relied on.
func (s Snapshot) verify(ctx context.Context) error {
	v, err := evidence.Verify(ctx, s.Dir, nil)
	switch {
	case err != nil:
		return err
	case len(v.Differences) > 0:
		return &evidence.DiffersError{Verification: *v}
	case v.Manifest != s.Manifest:
		return fmt.Errorf("%q: %w: its manifest is another than the plan's", s.Dir, evidence.ErrDiffers)
	}
	return nil
}
