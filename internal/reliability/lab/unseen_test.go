package lab_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/lab"
	"holdfast/internal/testkit"
)

// roleVariable makes the test binary a command that does something to a directory.
const roleVariable = "HOLDFAST_LAB_TEST_ROLE"

func init() {
	if os.Getenv(roleVariable) != "" {
		runtime.LockOSThread()
	}
}

func TestMain(m *testing.M) {
	if do := deeds[os.Getenv(roleVariable)]; do != nil {
		must(do(os.Args[1]))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// deeds are what a command may do to a directory.
var deeds = map[string]func(dir string) error{
	"writes": write,
	"writes in another thread": func(dir string) error {
		return elsewhere(func() error { return write(dir) })
	},
	"locks in another thread": func(dir string) error {
		return elsewhere(func() error {
			fd, err := unix.Open(dir, unix.O_RDONLY, 0)
			must(err)
			return unix.Flock(fd, unix.LOCK_EX)
		})
	},
	"looks in another thread": func(dir string) error {
		return elsewhere(func() error {
			_, err := os.ReadDir(dir)
			return err
		})
	},
	"has another process write": func(dir string) error {
		return exec.Command("sh", "-c", `echo x > "$0"/x`, dir).Run()
	},
	"makes a link, which no lane follows": func(dir string) error {
		return os.Symlink("nowhere", filepath.Join(dir, "x"))
	},
	"writes by a mapping": func(dir string) error {
		f, err := os.Create(filepath.Join(dir, "x"))
		must(err)
		must(f.Truncate(1))
		b, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
		must(err)
		b[0] = 'x'
		return unix.Munmap(b)
	},
}

func write(dir string) error { return os.WriteFile(filepath.Join(dir, "x"), []byte("x"), 0o600) }

// elsewhere does something in a thread that is not the main one, which waits for it.
func elsewhere(do func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- do()
	}()
	return <-done
}

// A lane that follows one thread is never blind without knowing.
func TestWhatNoLaneSeesIsFound(t *testing.T) {
	if missing := lab.HasStrace(); missing != "" {
		testkit.Skip(t, missing)
	}
	unseen := map[string]string{
		"writes":                              "",
		"looks in another thread":             "",
		"writes in another thread":            "thread or process",
		"locks in another thread":             "flock",
		"has another process write":           "thread or process",
		"makes a link, which no lane follows": "symlinkat",
		"writes by a mapping":                 "mmap",
	}
	require.Len(t, unseen, len(deeds))
	for deed, named := range unseen {
		for _, letters := range []string{"plain", "escaped"} {
			t.Run(deed+", "+letters, func(t *testing.T) {
				err := follow(t, deed, letters == "escaped")
				if named == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, named)
				}
			})
		}
	}
}

// follow has this binary do something under strace, and returns what was not seen of it.
func follow(t *testing.T, deed string, escaped bool) error {
	t.Helper()
	top := t.TempDir()
	dir, log := filepath.Join(top, "store"), filepath.Join(top, "log")
	require.NoError(t, os.Mkdir(dir, 0o700))
	args := append([]string{"-qq"}, lab.Following(log, lab.Calls)...)
	if escaped {
		args = append(args, "-xx")
	}
	cmd := exec.Command("strace", append(args, os.Args[0], dir)...)
	cmd.Env = append(os.Environ(), roleVariable+"="+deed, "GORACE=atexit_sleep_ms=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	logs, err := lab.ReadLogs(log)
	require.NoError(t, err)
	return logs.Unseen(dir, lab.Calls)
}
