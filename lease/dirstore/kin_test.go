package dirstore_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// heir starts a process that plays a role with a copy of the kin lock's descriptor, of
// which this one's is closed.
func heir(t *testing.T, c *turn, role string) *other {
	t.Helper()
	kin, err := c.hold.Kin()
	require.NoError(t, err)
	o := start(t, role, func(c *exec.Cmd) { c.ExtraFiles = []*os.File{kin} })
	o.awaitReady(t)
	require.NoError(t, kin.Close())
	return o
}

func playSurvivor([]string) error { return ready() }

// playBeforeExec has a descriptor as every child has it between fork and exec.
func playBeforeExec([]string) error {
	const inherited = 3
	if _, err := unix.FcntlInt(inherited, unix.F_SETFD, unix.FD_CLOEXEC); err != nil {
		return err
	}
	return ready()
}

func (c *turn) requireKinHeld(t *testing.T, want bool) {
	t.Helper()
	held, err := c.hold.KinHeld()
	require.NoError(t, err)
	require.Equal(t, want, held)
}

// A child on its way from fork to exec may take as long as the scheduler likes, and has
// every descriptor until the end of it.
func TestAChildBeforeItsExecHoldsNoKinLock(t *testing.T) {
	s, _ := newStore(t)
	c := mustAcquire(t, s, "k", self())
	child := heir(t, c, "before-exec")
	time.AfterFunc(300*time.Millisecond, func() { _ = child.stdin.Close() })
	c.requireKinHeld(t, false)
}

func TestASurvivorHoldsTheKinLock(t *testing.T) {
	s, _ := newStore(t)
	c := mustAcquire(t, s, "k", self())
	child := heir(t, c, "survivor")
	c.requireKinHeld(t, true)
	child.end(t)
	c.requireKinHeld(t, false)
}
