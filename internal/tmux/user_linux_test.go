package tmux

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// becomeAnotherUser makes this process, until the end of the test, one of a user who has no other: every server of a
// user is asked, and the servers made here must not disturb tests that run beside. The next user has none either.
func becomeAnotherUser(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		testkit.Skip(t, "only root can become a user who has no tmux servers")
	}
	require.NoError(t, become(20000+2*(os.Getpid()%20000)))
	t.Cleanup(func() { require.NoError(t, become(0)) })
}

// become keeps root as the saved user, to come back.
func become(uid int) error {
	if err := syscall.Setresuid(0, 0, 0); err != nil {
		return err
	}
	return syscall.Setresuid(uid, uid, 0)
}

// hasten is for tests of what stays unreachable: it makes us give up sooner.
func hasten(t *testing.T) {
	t.Helper()
	looks, patience := passes, timeout
	passes, timeout = 4, time.Second
	t.Cleanup(func() { passes, timeout = looks, patience })
}
