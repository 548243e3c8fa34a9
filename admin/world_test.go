package admin_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// world is a store with the processes that use it.
type world struct {
	*testing.T
	path  string
	store lease.Store
}

func newWorld(t *testing.T) *world {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store")
	s, err := dirstore.Open(path, dirstore.Options{})
	require.NoError(t, err)
	return &world{t, path, s}
}

func (w *world) eventually(holds func() bool) {
	w.Helper()
	require.Eventually(w, holds, time.Minute, time.Millisecond)
}

// nextMoment waits until what happens has a later time than what happened: within one, the archive tells what was done
// before what was published.
func (w *world) nextMoment() {
	w.Helper()
	last := ownership.At(time.Now())
	w.eventually(func() bool { return ownership.At(time.Now()) != last })
}

// strand leaves a session whose owner was killed. A look into /proc at the descriptors of a
// process keeps what one refers to, and so its lock, until after the end of the process.
func (w *world) strand(p plan) (i lease.Inspection) {
	w.Helper()
	w.own(p).kill()
	w.eventually(func() bool {
		i = w.inspect(target(p.Key))
		return i.State == ownership.StateStranded
	})
	return i
}

// unprove leaves a session whose owner was killed and whose life lock's file is gone.
func (w *world) unprove(p plan) lease.Inspection {
	w.Helper()
	w.strand(p)
	removeLife(w, p.Key)
	i := w.inspect(target(p.Key))
	require.Equal(w, ownership.StateUnproven, i.State)
	return i
}

// damage overwrites the record of a session by bytes that are none.
func (w *world) damage(key string) lease.Inspection {
	w.Helper()
	require.NoError(w, os.WriteFile(w.file(key, "record.json"), []byte("{\n"), 0o600))
	i := w.inspect(target(key))
	require.Equal(w, ownership.StateUnreadable, i.State)
	return i
}

func (w *world) inspect(t admin.Target) lease.Inspection {
	w.Helper()
	i, err := admin.Inspect(w.Context(), w.store, t)
	require.NoError(w, err)
	return i
}

func (w *world) file(key, name string) string {
	return filepath.Join(w.path, "sessions", target(key).Digest.String(), name)
}

func target(key string) admin.Target {
	k, err := ownership.ParseKey(key)
	if err != nil {
		panic(err)
	}
	return admin.ByKey(k)
}

// bytes returns every file of the store with its content, and each directory.
func (w *world) bytes() map[string]string {
	w.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(w.path, func(path string, d os.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == w.path {
			return nil // a store that nobody used
		}
		if err != nil || d.IsDir() {
			all[path] = "directory"
			return err
		}
		b, err := os.ReadFile(path)
		all[path] = string(b)
		return err
	})
	require.NoError(w, err)
	return all
}

// refused expects the refusal of a recovery that changed no byte (I8).
func (w *world) refused(r admin.Recovery, why ownership.Reason) *lease.Refusal {
	w.Helper()
	before := w.bytes()
	_, err := admin.Recover(w.Context(), w.store, r)
	require.Equal(w, before, w.bytes())
	var refusal *lease.Refusal
	require.ErrorAs(w, err, &refusal)
	require.Equal(w, why, refusal.Reason, err)
	require.NotEmpty(w, refusal.Inspection.Next)
	return refusal
}

// previewed expects a refusal for want of consent, with its preview.
func (w *world) previewed(r admin.Recovery) admin.Preview {
	w.Helper()
	w.refused(r, ownership.ReasonForceRequired)
	_, err := admin.Recover(w.Context(), w.store, r)
	var forced *admin.ForceRequired
	require.ErrorAs(w, err, &forced)
	return forced.Preview
}

func (w *world) recovered(r admin.Recovery) admin.Receipt {
	w.Helper()
	receipt, err := admin.Recover(w.Context(), w.store, r)
	require.NoError(w, err)
	require.NoError(w, receipt.Leftover)
	return receipt
}

// typed reads a command as the command line does.
func (w *world) typed(argv []string) admin.Recovery {
	w.Helper()
	require.Equal(w, []string{"session", "recover"}, argv[:2])
	var r admin.Recovery
	for args := argv[2:]; len(args) > 0; args = args[1:] {
		var err error
		flag, value, _ := strings.Cut(args[0], "=")
		switch flag {
		case "--expect":
			r.Expect, err = ownership.ParseRevision(args[1])
			args = args[1:]
		case "--digest":
			var d ownership.Digest
			d, err = ownership.ParseDigest(args[1])
			r.Target, args = admin.ByDigest(d), args[1:]
		case "--despite":
			for word := range strings.SplitSeq(args[1], ",") {
				ref, fault := admin.ParseProcessRef(word)
				r.Despite, err = append(r.Despite, ref), errors.Join(err, fault)
			}
			args = args[1:]
		case "--force":
			r.Consent |= admin.Force
		case "--accept-unproven":
			r.Consent |= admin.AcceptUnproven
		case "--quarantine":
			r.Consent |= admin.Quarantine
		case "--snapshot":
			r.Saving.Dir, args = args[1], args[1:]
		case "--accept":
			r.Saving.Accept, err = evidence.ParseAcceptance(args[1])
			args = args[1:]
		case "--no-snapshot":
			r.Snapshot = admin.SnapshotSkip
		case "--actor":
			r.Actor = value
		case "--reason":
			r.Reason = value
		default:
			r.Target = target(args[0])
		}
		require.NoError(w, err)
	}
	return r
}
