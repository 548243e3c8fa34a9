package dirstore_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/procid"
	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

const roleVariable = "DIRSTORE_TEST_ROLE"

// TestMain lets the test binary play other processes.
func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := roles[role](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "dirstore-test-")
	if err == nil {
		err = copyBinary(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testkit.WaitTogether(8)
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// binary is a copy of the test binary that every user may run.
var binary string

func copyBinary(dir string) error {
	b, err := os.ReadFile(os.Args[0])
	if err != nil {
		return err
	}
	binary = filepath.Join(dir, "dirstore.test")
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	return os.WriteFile(binary, b, 0o755)
}

// roles are what another process does. Each gets the path of a store first.
var roles = map[string]func(args []string) error{
	"first-user": playFirstUser,
	"use":        playUse,
	"hold":       playHold,
	"probe":      playProbe,
	"lock-dir":   playLockDir,
	"cycle":      playCycle,
	"contend":    playContend,
	"gathered":   playGathered,

	"survivor":    playSurvivor,
	"before-exec": playBeforeExec,
}

// ready tells the test that a role has come to where it stays until its stdin ends.
func ready() error {
	fmt.Println("ready")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// other is another process that plays a role.
type other struct {
	*exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *strings.Builder
}

// start starts a role, with changes to its command made first. It is killed at the
// end of the test at the latest.
func start(t testing.TB, role string, change func(*exec.Cmd), args ...string) *other {
	t.Helper()
	o := &other{Cmd: exec.Command(binary, args...), stderr: &strings.Builder{}}
	o.Env = append(os.Environ(), roleVariable+"="+role)
	o.Stderr = o.stderr
	var err error
	o.stdin, err = o.StdinPipe()
	require.NoError(t, err)
	stdout, err := o.StdoutPipe()
	require.NoError(t, err)
	o.stdout = bufio.NewReader(stdout)
	if change != nil {
		change(o.Cmd)
	}
	require.NoError(t, o.Start())
	t.Cleanup(func() {
		if o.ProcessState == nil {
			o.Process.Kill()
			o.Wait()
		}
	})
	return o
}

func (o *other) awaitReady(t testing.TB) {
	t.Helper()
	line, err := o.stdout.ReadString('\n')
	require.NoError(t, err, "%s", o.stderr)
	require.Equal(t, "ready\n", line)
}

// end lets a role finish and wants it to succeed.
func (o *other) end(t testing.TB) {
	t.Helper()
	require.NoError(t, o.stdin.Close())
	_, err := io.Copy(io.Discard, o.stdout)
	require.NoError(t, err)
	require.NoError(t, o.Wait(), "%s", o.stderr)
}

func (o *other) kill(t testing.TB) {
	t.Helper()
	require.NoError(t, o.Process.Kill())
	o.Wait()
}

var background = context.Background()

// newStore returns a store that does not exist yet.
func newStore(t testing.TB) (*dirstore.Store, string) {
	t.Helper()
	dir := filepath.Join(resolved(t, t.TempDir()), "store")
	return openStore(t, dir), dir
}

func resolved(t testing.TB, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	return real
}

func openStore(t testing.TB, dir string) *dirstore.Store {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{})
	require.NoError(t, err)
	return s
}

func keyOf(name string) ownership.Key {
	k, err := ownership.ParseKey(name)
	if err != nil {
		panic(err)
	}
	return k
}

// self is this process as an owner.
func self() ownership.Owner {
	host, me := procid.ThisHost(), procid.Self()
	o := ownership.Owner{
		Kind: "test", User: "test", Host: host.Name, BootID: host.BootID, PIDNamespace: host.PIDNamespace,
		PID: os.Getpid(), StartTicks: &me.StartTicks, Program: "dirstore.test", AcquiredAt: ownership.At(time.Now()),
	}
	if host.ID != nil {
		if id, err := ownership.ParseDigest(*host.ID); err == nil {
			o.HostID = &id
		}
	}
	rand.Read(o.OperationID[:])
	return o
}

// dead returns an owner of this boot whose process is gone.
func dead(t testing.TB) ownership.Owner {
	t.Helper()
	cmd := exec.Command("true")
	require.NoError(t, cmd.Run())
	o := self()
	o.PID, o.Program = cmd.ProcessState.Pid(), "true"
	return o
}

// turn is one session in the hands of a test: what is in force, and who holds it.
type turn struct {
	store   lease.Store
	key     ownership.Key
	current ownership.Current
	bytes   []byte
	hold    lease.Hold
}

// acquire publishes an active record of owner o over what is there.
func acquire(s lease.Store, name string, o ownership.Owner) (*turn, error) {
	c := &turn{store: s, key: keyOf(name)}
	stored, err := s.Load(background, c.key.Digest())
	if err != nil {
		return nil, err
	}
	reading := stored.Reading(c.key.Digest())
	if reading.Fault != nil {
		return nil, reading.Fault
	}
	c.current = ownership.Current{Record: reading.Record, Revision: stored.Revision}
	g, err := c.current.NextGeneration()
	if err != nil {
		return nil, err
	}
	if c.hold, err = s.Hold(background, c.key.Digest(), g); err != nil {
		return nil, err
	}
	next, err := ownership.Acquire(c.current, ownership.Claim{Key: c.key, Owner: o})
	if err == nil {
		err = c.publish(next)
	}
	if err != nil {
		c.hold.Drop()
	}
	return c, err
}

func mustAcquire(t testing.TB, s lease.Store, name string, o ownership.Owner) *turn {
	t.Helper()
	c, err := acquire(s, name, o)
	require.NoError(t, err)
	t.Cleanup(func() { c.hold.Drop() })
	return c
}

func (c *turn) publish(r ownership.Record) error {
	b, err := ownership.Encode(r)
	if err != nil {
		return err
	}
	if err := c.store.Publish(background, c.hold, c.current.Revision, b); err != nil {
		return err
	}
	c.current, c.bytes = ownership.Current{Record: &r, Revision: ownership.RevisionOf(b)}, b
	return nil
}

// release publishes idle and retires the generation.
func (c *turn) release() error {
	r, err := ownership.ReleaseAcknowledge(c.current)
	if err != nil {
		return err
	}
	if err := c.publish(r); err != nil {
		return err
	}
	return c.hold.Retire()
}

func (c *turn) digest() ownership.Digest { return c.key.Digest() }

func sessionDir(store, name string) string {
	return filepath.Join(store, "sessions", keyOf(name).Digest().String())
}

// tree reads every file below dir: names, modes and bytes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		all[name] = info.Mode().String()
		if info.Mode().IsRegular() && info.Size() < 1<<20 {
			b, err := os.ReadFile(path)
			all[name] += " " + string(b)
			return err
		}
		return nil
	})
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return all
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := []string{}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// umask starts a role under a umask, through a shell since Go cannot set it in a
// child alone.
func umask(mask string) func(*exec.Cmd) {
	return func(c *exec.Cmd) {
		c.Args = append([]string{"sh", "-c", "umask " + mask + `; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
		c.Path = "/bin/sh"
	}
}

const nobody = 65534

// asNobody starts a role as a user without privileges.
func asNobody(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	c.Dir = "/"
}

func together(changes ...func(*exec.Cmd)) func(*exec.Cmd) {
	return func(c *exec.Cmd) {
		for _, change := range changes {
			change(c)
		}
	}
}

// forNobody returns a directory that belongs to a user without privileges, who can run
// this test binary.
func forNobody(t testing.TB) string {
	t.Helper()
	requireRoot(t)
	dir, err := os.MkdirTemp("/tmp", "holdfast-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chown(dir, nobody, nobody))
	return dir
}
