package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// tool skips a test where a program is missing.
func tool(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		testkit.Skip(t, name+" is not installed")
	}
}

// mounting skips a test where no file system can be mounted out of everybody's sight.
func mounting(t *testing.T) {
	t.Helper()
	tool(t, "unshare")
	out, err := exec.Command("unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt").CombinedOutput()
	if err != nil {
		testkit.Skip(t, "no file system can be mounted here: "+string(out))
	}
}

// apart runs a script of /bin/sh where what it mounts is seen by nobody else.
func (p place) apart(script string) (stdout, stderr string, code int) {
	p.t.Helper()
	return p.output(p.program("unshare", "--mount", "sh", "-euc", script))
}

func (p place) end(c *exec.Cmd) {
	p.t.Helper()
	require.NoError(p.t, c.Process.Signal(syscall.SIGTERM))
	require.Error(p.t, c.Wait())
}

func (p place) sessionDir(key string) string {
	k, err := ownership.ParseKey(key)
	require.NoError(p.t, err)
	return filepath.Join(p.store, "sessions", k.Digest().String())
}

func TestFailedFsyncChangesNothing(t *testing.T) {
	tool(t, "strace")
	p := newPlace(t)
	p.exits(0, "run", "k", "--", "true")
	before := p.inspect("k").Revision
	names := entries(t, p.sessionDir("k"))
	ran := filepath.Join(t.TempDir(), "ran")
	trace := filepath.Join(t.TempDir(), "trace")
	_, stderr, code := p.output(p.program("strace", "-f", "--seccomp-bpf", "-o", trace, "-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "session", "run", "k", "--", "touch", ran))
	require.Equal(t, 74, code, stderr)
	require.NoFileExists(t, ran)
	require.Equal(t, before, p.inspect("k").Revision)
	require.Equal(t, append(names, "life.2", "kin.2"), entries(t, p.sessionDir("k")), "nothing is left but the lock files that the next claim takes")
	p.exits(0, "run", "k", "--", "true")
}

func TestUnansweredPublishIsOutcomeUnknown(t *testing.T) { // I9
	tool(t, "strace")
	p := newPlace(t)
	p.exits(0, "run", "k", "--", "true")
	ran := filepath.Join(t.TempDir(), "ran")
	trace := filepath.Join(t.TempDir(), "trace")
	_, stderr, code := p.output(p.program("strace", "-f", "--seccomp-bpf", "-o", trace, "-P", p.sessionDir("k"), "-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "session", "run", "k", "--", "touch", ran))
	require.Equal(t, 82, code, stderr)
	require.NoFileExists(t, ran)
	i := p.inspect("k")
	require.Equal(t, ownership.StateStranded, i.State, "what was renamed is told as it is")
	require.Equal(t, ownership.Generation(2), i.Record.Generation)
	p.exits(0, "recover", "k", "--expect", i.Revision.String(), "--force", "--no-snapshot")
}

// A pass whose recovery has an unknown outcome says how to have the receipt: the next pass
// finds the session idle and has nothing to say of it.
func TestUnansweredRecoveryOfAPassCanBeAskedFor(t *testing.T) { // I9
	tool(t, "strace")
	p := newPlace(t)
	_, _, _ = p.output(p.command("run", "--no-worktree", "k", "--", "sh", "-c", "kill -9 $PPID"))
	p.await("k", ownership.StateStranded)
	trace := filepath.Join(t.TempDir(), "trace")
	out, stderr, code := p.output(p.program("strace", "-f", "--seccomp-bpf", "-o", trace, "-P", p.sessionDir("k"),
		"-e", "trace=fsync", "-e", "inject=fsync:error=EIO", "session", "--json", "reconcile", "--apply"))
	require.Equal(t, 84, code, stderr)
	var row failedRow
	require.NoError(t, json.Unmarshal([]byte(out), &row), out)
	require.Equal(t, ownership.ReasonOutcomeUnknown, row.Reason)
	require.Len(t, row.Next, 1)
	p.exits(0, "assert", "k", "idle")
	out, _ = p.exits(0, append(row.Next[0].Argv[1:], "--json")...)
	require.Contains(t, out, `"replayed":true`)
}

// entries returns the names in a directory, locks last as they come.
func entries(t *testing.T, dir string) []string {
	t.Helper()
	all, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names, locks []string
	for _, e := range all {
		if strings.HasPrefix(e.Name(), "life.") {
			locks = append([]string{e.Name()}, locks...)
		} else if strings.HasPrefix(e.Name(), "kin.") {
			locks = append(locks, e.Name())
		} else {
			names = append(names, e.Name())
		}
	}
	return append(names, locks...)
}

func TestFullStoreFailsCleanlyAndSaysWhatIsStillActive(t *testing.T) {
	mounting(t)
	p := newPlace(t)
	require.NoError(t, os.MkdirAll(p.store, 0o700))
	out, stderr, code := p.apart(`
		mount -t tmpfs -o size=64k,mode=700 none $HOLDFAST_STORE
		fill() { cat /dev/zero >"$HOLDFAST_STORE/../fill" 2>/dev/null || true; }
		full=$HOLDFAST_STORE/quarantine/full
		session run first -- true
		code=0; session run k -- sh -c "cat /dev/zero >$full 2>/dev/null; exit 0" || code=$?
		echo release $code
		code=0; session run other -- echo ran || code=$?
		echo acquire $code
		session assert other vacant >&2
		rm $full
		session assert k stranded >&2
		session recover k --expect $(session inspect k --json | sed 's/.*"revision":"\([0-9a-f]*\)".*/\1/') --force --no-snapshot >/dev/null
		session run k -- echo again`)
	require.Zero(t, code, out+stderr)
	require.Equal(t, "release 74\nacquire 74\nagain\n", out, stderr)
	require.Contains(t, stderr, "still active")
}

func TestReadOnlyStoreIsReadAndNotWritten(t *testing.T) {
	mounting(t)
	p := newPlace(t)
	p.exits(0, "run", "k", "--", "true")
	out, stderr, code := p.apart(`
		mount --bind $HOLDFAST_STORE $HOLDFAST_STORE; mount -o remount,ro,bind $HOLDFAST_STORE
		session inspect k --json | grep -q '"state":"idle"'
		session list --json | grep -q '"state":"idle"'
		session assert unknown vacant >&2
		code=0; session run k -- echo ran || code=$?
		echo $code`)
	require.Zero(t, code, stderr)
	require.Equal(t, "74\n", out)
	require.Contains(t, stderr, "read-only file system")
}

func TestOneStoreUnderManyNamesExcludesAllTheSame(t *testing.T) {
	mounting(t)
	p := newPlace(t)
	dir := filepath.Dir(p.store)
	require.NoError(t, os.Symlink(p.store, filepath.Join(dir, "link")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "bound"), 0o700))
	w := p.hold("k", "sh", "-c", "cd /; exec sleep 300")
	_, stderr, code := p.apart(`
		cd ` + dir + `; mount --bind store bound
		for name in link ./store store/ .//store store/../store bound $PWD/store; do
			code=0; session run --store "$name" k -- true 2>/dev/null || code=$?
			[ $code = 75 ] || { echo "$name: $code" >&2; exit 1; }
		done`)
	require.Zero(t, code, stderr)
	p.end(w)
}

func TestKeysThatLookAlikeAreDifferentSessions(t *testing.T) {
	p := newPlace(t)
	keys := []string{"a_b", "a:b", "a/b", "a b", "a%3Ab", "A_B", "a.b", "../x", strings.Repeat("k", 512)}
	for _, k := range keys {
		w := p.hold(k, "sleep", "300")
		defer p.end(w)
	}
	for _, k := range keys {
		p.exits(75, "run", k, "--", "true")
	}
	out, _ := p.exits(0, "list", "--state", "held", "--json")
	require.Equal(t, len(keys), strings.Count(out, "\n"))
}

func TestBadKeysCreateNothing(t *testing.T) {
	p := newPlace(t)
	for _, k := range []string{"", strings.Repeat("k", 513), "a\nb", "a\x1bb", "a\xffb"} {
		_, stderr := p.exits(64, "run", k, "--", "true")
		require.NotContains(t, stderr, "\x1b")
		require.NotContains(t, stderr, "\xff")
	}
	require.NoDirExists(t, p.store)
}

func TestRemovedLifeLockFreesNobody(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newPlace(t)
	c := p.command("run", "--close", "--grace", "50ms", "k", "--", "sleep", "300")
	out := p.start(c)
	p.await("k", ownership.StateHeld)
	require.NoError(t, os.Remove(filepath.Join(p.sessionDir("k"), "life.1")))
	i := p.inspect("k")
	require.Equal(t, ownership.StateUnproven, i.State)
	p.exits(76, "run", "k", "--", "true")
	p.exits(80, "recover", "k", "--expect", i.Revision.String(), "--force", "--no-snapshot")
	require.Error(t, c.Wait(), "the owner notices")
	require.Equal(t, 81, c.ProcessState.ExitCode(), out)
	require.Equal(t, i.Revision, p.inspect("k").Revision, "it published nothing")
}

func TestForcedAgainstItsWillAnOwnerStops(t *testing.T) {
	t.Parallel() // it mostly waits
	p := newPlace(t)
	c := p.command("run", "--close", "--grace", "50ms", "k", "--", "sleep", "300")
	out := p.start(c)
	p.await("k", ownership.StateHeld)
	require.NoError(t, os.Remove(filepath.Join(p.sessionDir("k"), "life.1")))
	i := p.inspect("k")
	require.NoError(t, c.Process.Signal(syscall.SIGSTOP)) // it must not notice too early
	p.exits(0, "recover", "k", "--expect", i.Revision.String(), "--force", "--accept-unproven", "--no-snapshot")
	require.NoError(t, c.Process.Signal(syscall.SIGCONT))
	require.Error(t, c.Wait())
	require.Equal(t, 81, c.ProcessState.ExitCode(), out)
	require.Equal(t, ownership.StateIdle, p.inspect("k").State)
	require.Equal(t, ownership.Generation(2), p.inspect("k").Record.Generation)
}

func TestRenamedHostStrandsTheSameAndShowsTheOldName(t *testing.T) {
	mounting(t)
	p := newPlace(t)
	w := p.hold("k", "sleep", "300")
	old := p.inspect("k").Record.Owner.Host
	survivor := 0
	require.NoError(t, w.Process.Kill())
	require.Error(t, w.Wait())
	p.eventually("the survivor is named", func() bool {
		i := p.inspect("k")
		if len(i.Liveness.Holders) == 1 && i.Liveness.Holders[0].Program == "sleep" {
			survivor = i.Liveness.Holders[0].PID
		}
		return survivor != 0
	})
	require.NoError(t, syscall.Kill(survivor, syscall.SIGKILL))
	i := p.await("k", ownership.StateStranded)
	out, stderr, code := p.output(p.program("unshare", "--uts", "sh", "-euc", `
		hostname renamed
		session assert k stranded >&2
		code=0; session run k -- true || code=$?; echo $code
		session recover k --expect `+i.Revision.String()+` --force --no-snapshot >/dev/null`))
	require.Zero(t, code, stderr)
	require.Equal(t, "76\n", out)
	require.Contains(t, stderr, old)
}

func TestNothingThatLooksSendsASignal(t *testing.T) {
	tool(t, "strace")
	p := newPlace(t)
	w := p.hold("k", "sleep", "300")
	i := p.inspect("k")
	owner := strconv.Itoa(i.Record.Owner.PID)
	trace := filepath.Join(t.TempDir(), "trace")
	for _, args := range [][]string{
		{"inspect", "k"}, {"list"}, {"run", "k", "--", "true"}, {"assert", "k", "held"}, {"doctor"},
		{"recover", "k", "--expect", i.Revision.String(), "--force", "--accept-unproven", "--no-snapshot"},
	} {
		all := append([]string{"-f", "--seccomp-bpf", "-y", "-o", trace, "-e", "trace=kill,tkill,tgkill,pidfd_open,pidfd_send_signal,rt_sigqueueinfo", "session"}, args...)
		_, _, _ = p.output(p.program("strace", all...))
		b, err := os.ReadFile(trace)
		require.NoError(t, err)
		require.NotRegexp(t, regexp.MustCompile(`(kill|pidfd_open|queueinfo)\(`+owner+`\b`), string(b), args)
	}
	p.end(w)
}

func TestTwentyFirstUsersOfAMissingStoreAllSucceed(t *testing.T) {
	p := newPlace(t)
	var all sync.WaitGroup
	failed := make([]string, 20)
	for n := range failed {
		c := p.command("run", fmt.Sprint("k", n), "--", "true")
		all.Go(func() {
			if out, err := c.CombinedOutput(); err != nil {
				failed[n] = fmt.Sprintf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	require.Empty(t, strings.Join(failed, ""))
	out, _ := p.exits(0, "list", "--state", "idle", "--json")
	require.Equal(t, len(failed), strings.Count(out, "\n"))
}

func TestSignalDuringAnAcquireIsObeyed(t *testing.T) {
	t.Parallel() // it mostly waits
	tool(t, "strace")
	for name, inject := range map[string]string{
		"before the publish": "fsync:delay_enter=1500000:when=1",
		"after it":           "renameat:delay_exit=1500000:when=1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			p := newPlace(t)
			p.exits(0, "run", "k", "--", "true")
			dir := t.TempDir()
			call, _, _ := strings.Cut(inject, ":")
			c := p.program("strace", "-f", "-o", dir+"/trace", "-e", "trace="+call+",execve", "-e", "inject="+inject,
				"sh", "-c", "echo $$ >"+dir+"/pid; exec session run k -- touch "+dir+"/ran")
			out := p.start(c)
			pid := p.pidFrom(dir + "/pid")
			p.eventually("the delayed call", func() bool {
				b, err := os.ReadFile(dir + "/trace")
				return err == nil && strings.Contains(string(b), call)
			})
			require.NoError(t, syscall.Kill(pid, syscall.SIGTERM))
			require.Error(t, c.Wait())
			require.Equal(t, 143, c.ProcessState.ExitCode(), out)
			require.NoFileExists(t, dir+"/ran")
			p.exits(0, "assert", "k", "idle")
		})
	}
}

func TestMissingHardLinksMakeAStoreUnavailable(t *testing.T) {
	tool(t, "strace")
	p := newPlace(t)
	_, stderr, code := p.output(p.program("strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=linkat", "-e", "inject=linkat:error=EPERM", "session", "run", "k", "--", "true"))
	require.Equal(t, 69, code, stderr)
}

func TestDeclaredRuntimeKeepsASessionActive(t *testing.T) { // I5
	tool(t, "tmux")
	p := newPlace(t)
	name, dir := fmt.Sprintf("holdfast-test-%d", os.Getpid()), t.TempDir()
	tmux := func(args ...string) {
		c := p.program("tmux", args...)
		c.Env = append(c.Env, "TMUX_TMPDIR="+dir, "TMUX=")
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	tmux("new-session", "-d", "-s", name, "sleep 300")
	defer tmux("kill-server")
	_, stderr := p.exits(83, "run", "--linger", "strand", "--runtime", "tmux:"+name, "k", "--", "true")
	require.Contains(t, stderr, name)
	i := p.inspect("k")
	require.Equal(t, ownership.StateUnproven, i.State, "nobody frees a session whose agent lives in its runtime")
	p.exits(76, "run", "k", "--", "true")
	p.exits(80, "recover", "k", "--expect", i.Revision.String(), "--force", "--no-snapshot")
}
