package probe_test

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// failing returns the words that start a command whose system calls on this path fail.
func failing(t *testing.T, path, call, fault string) []string {
	t.Helper()
	words := []string{"strace", "-f", "--seccomp-bpf", "-qq", "-o", filepath.Join(t.TempDir(), "trace"),
		"-P", path, "-e", "trace=" + call, "-e", "inject=" + call + ":" + fault}
	if out, err := exec.Command(words[0], append(words[1:], "true")...).CombinedOutput(); err != nil {
		testkit.Skip(t, "strace: "+err.Error()+": "+string(out))
	}
	return words
}

// A prober that cannot look at a process knows nothing of it, even if the owner left
// nothing but that process; only what vanished or may not be read is no verdict.
func TestUnaskedProcessIsNotClear(t *testing.T) {
	owner := start(t, "live", nil)
	r := recordOf(t, owner)
	child := start(t, "live", []string{operation(r)}, "setsid")
	owner.end()
	environ := filepath.Join("/proc", strconv.Itoa(child.pid), "environ")

	for name, c := range map[string]struct {
		path, call, fault string
		clear             bool
	}{
		"no descriptor":        {"environ", "openat", "error=EMFILE", false},
		"no file in system":    {"environ", "openat", "error=ENFILE", false},
		"read error":           {environ, "read", "error=EIO", false},
		"never seen whole":     {environ, "read", "retval=0", false},
		"no status of anybody": {"stat", "openat", "error=EMFILE", false},
		"no memory for one":    {filepath.Dir(environ), "openat", "error=ENOMEM", false},
		"may not be read":      {"environ", "openat", "error=EACCES", true},
		"vanished":             {"environ", "openat", "error=ENOENT", true},
	} {
		t.Run(name, func(t *testing.T) {
			got := probeThrough(t, r, failing(t, c.path, c.call, c.fault)...)
			require.Equal(t, c.clear, got.Clear, "%+v", got.Evidence)
			found := findings(got.Evidence, descendantsProbe)
			require.Equal(t, ownership.Absent, found[0], "the child is not seen, or the fault missed it")
			if !c.clear {
				require.Contains(t, found, ownership.Unknown)
			}
		})
	}
}
