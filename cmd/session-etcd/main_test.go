package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"holdfast/internal/cli"
	"holdfast/internal/etcdtest"
	"holdfast/internal/testkit"
)

const (
	hang = 30 * time.Second // bounds waits that end soon unless something is broken
	tick = 20 * time.Millisecond
)

// programs are what the test binary is when it is started under another name. They stand
// beside each other, on the PATH.
var programs = map[string]func(){
	"session":      func() { os.Exit(cli.Main(os.Args)) },
	"session-etcd": main,
}

type ending struct{ *testing.M }

func (e ending) Run() int {
	code := e.M.Run()
	etcdtest.EndShared()
	return code
}

func TestMain(m *testing.M) {
	if _, is := programs[filepath.Base(os.Args[0])]; !is {
		testkit.PrepareChildren()
	}
	testkit.WaitTogether(16)
	testscript.Main(ending{m}, programs)
}

// place is a store, and the environment in which it is found.
type place struct {
	server *etcdtest.Server
	store  string
	env    []string
}

var prefixes atomic.Int64

func newPlace(t *testing.T, query string) place {
	t.Helper()
	return placeOn(t, etcdtest.Shared(t), query)
}

func placeOn(t *testing.T, s *etcdtest.Server, query string) place {
	t.Helper()
	store := fmt.Sprintf("etcd://%s/cmd/%d%s", s.Address, prefixes.Add(1), query)
	home := t.TempDir()
	return place{s, store, []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home, "HOLDFAST_STORE=" + store, "NO_COLOR=1",
		testkit.RaceVariable + "=" + testkit.RaceAtOnce,
	}}
}

// outcome is how a command ended.
type outcome struct {
	code           int
	stdout, stderr string
}

func (p place) command(argv ...string) *exec.Cmd {
	c := exec.Command(argv[0], argv[1:]...)
	c.Env = p.env
	return c
}

func (p place) run(t *testing.T, argv ...string) outcome {
	t.Helper()
	c := p.command(argv...)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if _, exited := err.(*exec.ExitError); !exited {
		require.NoError(t, err)
	}
	return outcome{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// exits runs a command that must end with a code, and returns what it printed.
func (p place) exits(t *testing.T, code int, argv ...string) string {
	t.Helper()
	o := p.run(t, argv...)
	require.Equal(t, code, o.code, "%q\n%s\n%s", argv, o.stdout, o.stderr)
	return o.stdout + o.stderr
}

// inspection is the part of what `inspect --json` prints that tests ask about.
type inspection struct {
	State    string
	Revision string
	Record   *struct {
		Generation         int
		State, Release     string
		LastForcedRecovery *struct{ PreviousRevision string }
	}
	Liveness *struct {
		Verdict  string
		Evidence []struct{ Probe, Finding, Detail string }
		Holders  []struct{ PID int }
	}
	Next []struct{ Argv []string }
}

func (p place) inspect(t *testing.T, key string) (i inspection) {
	t.Helper()
	o := p.run(t, "session", "inspect", "--json", key)
	require.Zero(t, o.code, "%s", o.stderr)
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &i))
	return i
}

func (p place) awaitState(t *testing.T, key, state string) inspection {
	t.Helper()
	deadline := time.Now().Add(hang)
	for {
		i := p.inspect(t, key)
		if i.State == state {
			return i
		}
		require.True(t, time.Now().Before(deadline), "%+v", i)
		time.Sleep(tick)
	}
}

// running is a command that goes on.
type running struct {
	*exec.Cmd
	log string // the file that has what it printed
}

// start starts a command, which is asked to end at the end of the test.
func (p place) start(t *testing.T, argv ...string) *running {
	t.Helper()
	r := &running{p.command(argv...), filepath.Join(t.TempDir(), "log")}
	log, err := os.Create(r.log)
	require.NoError(t, err)
	defer log.Close()
	r.Stdout, r.Stderr = log, log
	require.NoError(t, r.Start())
	t.Cleanup(func() {
		if r.ProcessState == nil {
			_ = r.Process.Signal(syscall.SIGTERM)
			_ = r.Process.Signal(syscall.SIGCONT)
			_ = r.Wait() // a second signal would strand what it started
		}
	})
	return r
}

func (r *running) printed(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(r.log)
	require.NoError(t, err)
	return string(b)
}

// ends waits for the end of a command and returns its exit code.
func (r *running) ends(t *testing.T) int {
	t.Helper()
	ended := make(chan struct{})
	go func() {
		_ = r.Wait() // the code says it
		close(ended)
	}()
	select {
	case <-ended:
		return r.ProcessState.ExitCode()
	case <-time.After(hang):
		require.Fail(t, "it did not end")
		return -1
	}
}

// hold runs a command in a session until the test ends, and waits until it is held.
func (p place) hold(t *testing.T, key string, argv ...string) *running {
	t.Helper()
	r := p.start(t, append([]string{"session", "run", "--no-worktree", key, "--"}, argv...)...)
	p.awaitState(t, key, "held")
	return r
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	require.NoError(t, err)
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	_, err = io.Copy(out, in)
	require.NoError(t, err)
	require.NoError(t, out.Close())
}

// words are the commands that an answer prints, as a shell gets them.
func nextCommands(text string) (all []string) {
	for _, line := range strings.Split(text, "\n") {
		if command := strings.TrimSpace(line); strings.HasPrefix(command, "session ") {
			all = append(all, command)
		}
	}
	return all
}
