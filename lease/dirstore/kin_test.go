package dirstore_test

import (
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A child on its way from fork to exec may take as long as the scheduler likes: found by
// the lane of the fork window, once in 400,000 cycles.
func TestAForkUnderWayHoldsNoKinLock(t *testing.T) {
	s, _ := newStore(t)
	c := mustAcquire(t, s, "k", self())
	kin, err := c.hold.Kin()
	require.NoError(t, err)

	syscall.ForkLock.Lock() // a fork begins
	child, err := unix.FcntlInt(kin.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	require.NoError(t, err)
	require.NoError(t, kin.Close())
	var exec sync.Once
	executes := func() {
		exec.Do(func() {
			unix.Close(child)
			syscall.ForkLock.Unlock()
		})
	}
	defer executes()
	time.AfterFunc(50*time.Millisecond, executes)
	held, err := c.hold.KinHeld()
	require.NoError(t, err)
	require.False(t, held)
}
