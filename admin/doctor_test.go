package admin_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/testkit"
)

// doctor returns the findings by check, problems only.
func (w *world) doctor() map[string][]admin.Finding {
	w.Helper()
	before := w.bytes()
	all, err := admin.Doctor(w.Context(), w.store)
	require.NoError(w, err)
	require.Equal(w, before, w.bytes()) // I8
	problems := map[string][]admin.Finding{}
	for _, f := range all {
		require.NotEmpty(w, f.Detail)
		require.NotNil(w, f.Next)
		if f.Problem {
			require.NotEmpty(w, f.Next, f.Detail)
			problems[f.Check] = append(problems[f.Check], f)
		}
	}
	return problems
}

func TestDoctorOfAHealthyStore(t *testing.T) {
	w := newWorld(t)
	require.Empty(t, w.doctor())
	w.own(plan{Key: "idle"}).release()
	w.own(plan{Key: "held"})
	w.strand(plan{Key: "stranded"})
	i := w.strand(plan{Key: "recovered"})
	w.recovered(admin.Recovery{Target: target("recovered"), Expect: *i.Revision, Consent: admin.Force})
	require.Empty(t, w.doctor())

	all, err := admin.Doctor(t.Context(), w.store)
	require.NoError(t, err)
	checks := map[string]string{}
	for _, f := range all {
		checks[f.Check] = f.Detail
	}
	for _, check := range []string{"store", "file-system", "space", "locks", "modes", "readable", "leftovers", "records", "clock"} {
		require.Contains(t, checks, check)
	}
	require.Contains(t, checks["leftovers"], "1 life")
}

// Each repair that is offered is typed, and the finding is gone.
func TestDoctorRepairsModes(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "k"}).release()
	require.NoError(t, os.Chmod(w.file("k", "record.json"), 0o640))
	require.NoError(t, os.Chmod(w.file("k", ""), 0o755))
	found := w.doctor()["modes"]
	require.Len(t, found, 3) // the record has a second name in history
	for _, f := range found {
		require.True(t, f.Next[0].ChangesState)
		require.NoError(t, exec.Command(f.Next[0].Argv[0], f.Next[0].Argv[1:]...).Run())
	}
	require.Empty(t, w.doctor())
}

func TestDoctorNeverOffersToChangeWhatALinkPointsTo(t *testing.T) {
	w := newWorld(t)
	w.own(plan{Key: "k"}).release()
	require.NoError(t, os.Remove(w.file("k", "record.json")))
	require.NoError(t, os.Symlink("/etc/hostname", w.file("k", "record.json")))
	found := w.doctor()
	require.NotEmpty(t, found["records"])
	for _, f := range found["modes"] {
		require.False(t, f.Next[0].ChangesState)
	}
}

func TestDoctorNamesADirectoryThatIsNoStore(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, os.Mkdir(w.path, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(w.path, "mine"), nil, 0o600))
	require.Contains(t, w.doctor()["store"][0].Detail, "mine")
}

func TestDoctorNamesUnreadableSessions(t *testing.T) {
	w := newWorld(t)
	keys := many(30)
	w.own(plan{Key: keys[0], More: keys[1:]}).kill()
	for _, key := range keys {
		w.damage(key)
	}
	found := w.doctor()["records"]
	require.Len(t, found, 21)
	require.Contains(t, found[20].Detail, "10 more")
	require.Equal(t, []string{"session", "inspect", "--digest"}, found[0].Next[0].Argv[:3])
}

func TestDoctorSeesRecordsFromTheFuture(t *testing.T) {
	w := newWorld(t)
	i := w.strand(plan{Key: "k"})
	r := admin.Recovery{Target: target("k"), Expect: *i.Revision, Consent: admin.Force, At: time.Now().Add(time.Hour)}
	w.recovered(r)
	require.Contains(t, w.doctor()["clock"][0].Detail, `"k"`)
}

func TestDoctorSeesAFullFileSystem(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, os.Mkdir(w.path, 0o700))
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", w.path)
	if out, err := mount.CombinedOutput(); err != nil {
		testkit.Skip(t, fmt.Sprintf("a tmpfs cannot be mounted here: %v: %s", err, out))
	}
	t.Cleanup(func() { require.NoError(t, exec.Command("umount", w.path).Run()) })
	f := w.doctor()["space"][0]
	require.NoError(t, exec.Command(f.Next[0].Argv[0], f.Next[0].Argv[1:]...).Run())
}

// Each finding about the archive comes with what mends it, typed here, and what could not
// be checked without it is not told to be fine.
func TestDoctorMendsTheArchive(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"mode":    func(path string) error { return os.Chmod(path, 0o400) },
		"owner":   func(path string) error { return os.Chown(path, 12345, -1) },
		"garbage": func(path string) error { return os.WriteFile(path, []byte("garbage"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.cycle("k", 2)
			w.archive("k")
			if err := spoil(w.journal()); err != nil {
				testkit.Skip(t, err.Error())
			}
			all, err := admin.Doctor(t.Context(), w.store)
			require.NoError(t, err)
			var mend []string
			for _, f := range all {
				for _, next := range f.Next {
					if next.ChangesState {
						mend = next.Argv
					}
				}
				if name == "garbage" && (f.Check == "history" || f.Check == "backup") {
					require.False(t, f.Checked || f.Problem)
					require.Contains(t, f.Detail, "not checked")
				}
			}
			require.NotEmpty(t, mend)
			if mend[0] == "sudo" {
				mend = mend[1:] // root needs none
			}
			require.NoError(t, exec.Command(mend[0], mend[1:]...).Run())
			left := w.doctor()
			if name == "garbage" {
				require.Len(t, left["history"], 1, "what was in it is missing")
				delete(left, "history")
			}
			require.Empty(t, left)
		})
	}
}

// A directory in the place of a file is not to be given the mode of one.
func TestDoctorTellsWhatStandsInAFilesPlace(t *testing.T) {
	w := newWorld(t)
	w.cycle("k", 3)
	for _, e := range w.told(target("k"))[:2] {
		rev := w.file("k", "rev."+e.Revision.String()+".json")
		require.NoError(t, os.Remove(rev))
		require.NoError(t, os.Mkdir(rev, 0o600))
	}
	found := w.doctor()
	require.Len(t, found["modes"], 2)
	for _, f := range found["modes"] {
		require.Contains(t, f.Detail, "is not a file")
		require.False(t, f.Next[0].ChangesState)
	}
	require.Len(t, found["readable"], 2)
	for _, f := range found["readable"] {
		require.NotContains(t, f.Detail, "\n")
		require.Equal(t, []string{"session", "prune", "--dry-run"}, f.Next[1].Argv)
	}
}
