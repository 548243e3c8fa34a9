package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"holdfast/internal/reliability/actor"
)

// Calls are the system calls that a store is made of, and those that look at it, as
// strace takes them: with a question mark what an old one does not know.
var Calls = []string{
	"openat", "mkdirat", "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "fallocate",
	"renameat", "renameat2", "linkat", "unlinkat", "flock", "close", "read", "pread64", "getdents64",
	"newfstatat", "fstat", "statx", "fchmod", "fchmodat", "?fchmodat2", "statfs", "fstatfs", "lseek", "fcntl", "mmap",
}

// A Call is the Nth call of one name in a run, from 1.
type Call struct {
	Name string
	N    int
}

func (c Call) String() string { return fmt.Sprintf("%s#%d", c.Name, c.N) }

// Tampering returns the option of strace that does something at a call.
func (c Call) Tampering(what string) string {
	return fmt.Sprintf("inject=%s:%s:when=%d", c.Name, what, c.N)
}

// Run is one run of a workload on a fresh copy of its scene.
type Run struct {
	Dir string // of the store
	Outcome
}

// Fresh copies the scene's store to a place of its own below a directory.
func (s *Scene) Fresh(below string, i int) (Run, error) {
	place := filepath.Join(below, fmt.Sprintf("round-%d", i))
	if err := os.RemoveAll(place); err != nil {
		return Run{}, err
	}
	if err := os.MkdirAll(place, 0o700); err != nil {
		return Run{}, err
	}
	r := Run{Dir: filepath.Join(place, "store"), Outcome: Outcome{Told: filepath.Join(place, "told")}}
	if _, err := os.Stat(s.Dir); err == nil {
		return r, Copy(r.Dir, s.Dir)
	}
	return r, nil
}

// Remove removes the store.
func (r Run) Remove() { os.RemoveAll(filepath.Dir(r.Dir)) }

// Do runs the workload under strace with its options. Strace follows the main thread
// only, on which everything happens that counts.
func (s *Scene) Do(ctx context.Context, r *Run, options ...string) error {
	ctx, stop := context.WithTimeout(ctx, Patience)
	defer stop()
	cmd := actor.Under(ctx, append([]string{"strace", "-qq"}, options...), r.Dir, s.Args(r.Told)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = Patience // a killed owner's child may keep standard error for a moment
	// What hangs must not outlive strace.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("hangs: %w", ctx.Err())
	}
	r.Exit, r.Said = cmd.ProcessState.ExitCode(), remark.ReplaceAllString(said.String(), "")
	if strings.HasPrefix(r.Said, "strace: ") {
		return errors.New(r.Said)
	}
	return nil
}

// remark is what strace says of a path that is a link, like /proc/self.
var remark = regexp.MustCompile(`(?m)^strace: Requested path .* resolved into .*\n`)

// Trace is what strace saw of a workload.
type Trace struct {
	Calls []Call   // of the main thread, in order
	Lines []string // of strace -y, one a call
	Looks []Look   // of other threads
}

// Trace runs the workload once. It returns an error if the workload changes the store
// where nobody sees it who follows the calls of the main thread.
func (s *Scene) Trace(ctx context.Context, below string) (t Trace, err error) {
	err = s.logged(ctx, below, func(log string) []string { return Following(log, Calls) }, func(log string, r Run) error {
		logs, err := ReadLogs(log)
		if err != nil {
			return err
		}
		t.Calls, t.Lines = Parse(logs.Main)
		t.Looks = logs.Looks(r.Dir)
		if err := logs.Unseen(r.Dir, Calls); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		return nil
	})
	return t, err
}

// Tampered runs the workload once, tampered with, and returns its calls in order. Strace
// would tamper with every thread that it follows: this follows the main one.
func (s *Scene) Tampered(ctx context.Context, below string, c Call, what string) (calls []Call, err error) {
	options := func(log string) []string {
		return []string{"-o", log, "-e", "trace=" + strings.Join(Calls, ","), "-e", c.Tampering(what)}
	}
	err = s.logged(ctx, below, options, func(log string, _ Run) error {
		b, err := os.ReadFile(log)
		calls, _ = Parse(string(b))
		return err
	})
	return calls, err
}

// logged runs the workload once with options of strace that have it write a log, for
// somebody to read.
func (s *Scene) logged(ctx context.Context, below string, options func(log string) []string, read func(log string, r Run) error) error {
	r, err := s.Fresh(below, 0)
	if err != nil {
		return err
	}
	defer r.Remove()
	log := filepath.Join(filepath.Dir(r.Dir), "strace")
	if err := s.Do(ctx, &r, options(log)...); err != nil {
		return err
	}
	return read(log, r)
}

var named = regexp.MustCompile(`^([a-z0-9_]+)\(`)

// Parse numbers the calls of a log of strace that are among [Calls].
func Parse(log string) (calls []Call, lines []string) {
	count, names := map[string]int{}, known(Calls)
	for line := range strings.Lines(log) {
		if m := named.FindStringSubmatch(line); m != nil && slices.Contains(names, m[1]) {
			count[m[1]]++
			calls = append(calls, Call{m[1], count[m[1]]})
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return calls, lines
}

// AboutStore reports whether a call, as strace -y shows it, has to do with a store, with
// what an answer rests on, or with the user. The rest is what the language's runtime
// does for itself.
func AboutStore(line string) bool {
	about := []string{"/store", "/proc/", "write(1<", "write(2<", "/etc/machine-id"}
	return slices.ContainsFunc(about, func(what string) bool { return strings.Contains(line, what) })
}

// HasStrace says why strace cannot be used here, or nothing.
func HasStrace() string {
	if _, err := exec.LookPath("strace"); err != nil {
		return "there is no strace"
	}
	if out, err := exec.Command("strace", "-qq", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		return "strace may not trace: " + string(out)
	}
	return ""
}
