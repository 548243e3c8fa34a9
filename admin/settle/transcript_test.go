package settle_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/admin/settle"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// plants are what can stand in the place of a file. None may be followed, waited for,
// written to or created.
var plants = map[string]func(t *testing.T, at, target string){
	"link":          func(t *testing.T, at, target string) { require.NoError(t, os.Symlink(target, at)) },
	"dangling link": func(t *testing.T, at, target string) { require.NoError(t, os.Symlink(target+".absent", at)) },
	"looping link":  func(t *testing.T, at, _ string) { require.NoError(t, os.Symlink(at, at)) },
	"fifo":          func(t *testing.T, at, _ string) { require.NoError(t, syscall.Mkfifo(at, 0o600)) },
	"directory":     func(t *testing.T, at, _ string) { require.NoError(t, os.Mkdir(at, 0o700)) },
	"socket":        func(t *testing.T, at, _ string) { require.NoError(t, syscall.Mknod(at, syscall.S_IFSOCK|0o600, 0)) },
	"device": func(t *testing.T, at, _ string) {
		if err := syscall.Mknod(at, syscall.S_IFCHR|0o600, 1<<8|5); err != nil { // zero
			testkit.Skip(t, "no device can be made here: "+err.Error())
		}
	},
}

// planted puts each plant at a path, beside a target that must stay as it is.
func planted(t *testing.T, try func(t *testing.T, at string, plant func())) {
	for kind, plant := range plants {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			target := filepath.Join(dir, "target")
			require.NoError(t, os.WriteFile(target, []byte("TASK_DONE\n"), 0o600))
			at := filepath.Join(dir, "at")
			within(t, func() { try(t, at, func() { plant(t, at, target) }) })
			b, err := os.ReadFile(target)
			require.NoError(t, err)
			require.Equal(t, "TASK_DONE\n", string(b))
			require.NoFileExists(t, target+".absent")
		})
	}
}

// within is a guard against hanging.
func within(t *testing.T, do func()) {
	t.Helper()
	finished := make(chan struct{})
	go func() { defer close(finished); do() }()
	select {
	case <-finished:
	case <-time.After(time.Minute):
		t.Fatal("it hangs")
	}
}

func TestWhatIsNoTranscriptIsNotRead(t *testing.T) {
	planted(t, func(t *testing.T, at string, plant func()) {
		plant()
		_, err := settle.ReadTranscript(at)
		require.Error(t, err)
		require.NotContains(t, err.Error(), at, "whoever notes it names the path")
	})
}

// A transcript that a link took the place of decides nothing, and settling goes on.
func TestAPlantedTranscriptIsNoted(t *testing.T) {
	planted(t, func(t *testing.T, at string, plant func()) {
		w := newWorld(t)
		w.transcript = at
		w.strand()
		plant()
		o := w.settled()
		require.Equal(t, ownership.OutcomeRequeued, o.Outcome)
		require.Len(t, o.Notes, 1)
		w.set(w.verdict(settle.DecisionDone))
		require.Equal(t, byVerdict, w.settled().DecidedBy)
	})
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "transcript")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestATranscriptIsDatedByItsLastWrite(t *testing.T) {
	path := write(t, "TASK_DONE\n")
	require.NoError(t, os.Chtimes(path, time.Now(), later.Time()))
	got, err := settle.ReadTranscript(path)
	require.NoError(t, err)
	require.Equal(t, settle.Transcript{WrittenAt: later, Signals: []settle.Signal{done}}, got)
}

// A gigabyte is read from its end, without holding it.
func TestAHugeTranscriptIsReadFromItsTail(t *testing.T) {
	for name, c := range map[string]struct {
		end  string
		want []settle.Signal
	}{
		"a signal":              {"\nTASK_DONE\n", []settle.Signal{done}},
		"behind the last hole":  {"TASK_DONE\n", nil}, // on the same line as a gigabyte
		"nothing but the hole":  {"", nil},
		"a signal, a long line": {"\nTASK_DONE\n" + strings.Repeat("x", settle.TailSize/2) + "\n", []settle.Signal{done}},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "TASK_FAILED\n")
			require.NoError(t, os.Truncate(path, 1<<30))
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			_, err = f.WriteString(c.end)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got, err := settle.ReadTranscript(path)
			runtime.ReadMemStats(&after)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Signals)
			require.True(t, got.Partial)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
		})
	}
}

// Where the tail begins is no line's beginning: what is cut there may say the contrary.
func TestTheTailBeginsWithAWholeLine(t *testing.T) {
	signal := "TASK_DONE\n"
	fill := func(n int) string { return strings.Repeat("y", n-1) + "\n" }
	rest := settle.TailSize - len(signal)
	for name, c := range map[string]struct {
		text string
		want []settle.Signal
	}{
		"whole file":      {signal + fill(rest), []settle.Signal{done}},
		"after a newline": {"first\n" + signal + fill(rest), []settle.Signal{done}},
		"after a letter":  {"not " + signal + fill(rest), nil},
		"one byte beyond": {"first\n" + signal + fill(rest+1), nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := settle.ReadTranscript(write(t, c.text))
			require.NoError(t, err)
			require.Equal(t, c.want, got.Signals)
		})
	}
}

// Each block is one write and never in two pages, so whoever reads sees whole ones.
func TestATranscriptThatGrowsIsNotBelieved(t *testing.T) {
	path := write(t, "")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = f.WriteString("TASK_FAILED\nTASK_DONE\n1\n2\n33333\n")
			}
		}
	}()
	refused := false
	for deadline := time.Now().Add(time.Minute); !refused && time.Now().Before(deadline); {
		got, err := settle.ReadTranscript(path)
		if refused = err != nil; !refused && len(got.Signals) > 0 {
			require.Equal(t, []settle.Signal{failed, done}, got.Signals)
		}
	}
	close(stop)
	<-stopped
	require.True(t, refused, "it was still being written")
	got, err := settle.ReadTranscript(path)
	require.NoError(t, err)
	require.Equal(t, []settle.Signal{failed, done}, got.Signals)
}

// A time that no record can spell dates nothing.
func TestATranscriptBeyondTheCalendar(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "holdfast-") // a file system that has such times
	if err != nil {
		testkit.Skip(t, "there is no tmpfs: "+err.Error())
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "transcript")
	require.NoError(t, os.WriteFile(path, []byte("TASK_DONE\n"), 0o600))
	_, err = settle.ReadTranscript(path)
	require.NoError(t, err)
	late := unix.Timespec{Sec: 1 << 40}
	require.NoError(t, unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{late, late}, 0))
	_, err = settle.ReadTranscript(path)
	require.Error(t, err)
}
