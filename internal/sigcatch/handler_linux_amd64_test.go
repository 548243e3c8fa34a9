package sigcatch

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A request to end that came with the end of a child may have been its cause.
func TestTheEndOfAChildIsToldLast(t *testing.T) {
	var told []syscall.Signal
	h := handler{deliver: func(sig syscall.Signal) { told = append(told, sig) }}
	counts[syscall.SIGCHLD], counts[syscall.SIGTSTP], counts[syscall.SIGHUP] = 1, 1, 2
	h.tell()
	require.Equal(t, []syscall.Signal{syscall.SIGHUP, syscall.SIGHUP, syscall.SIGTSTP, syscall.SIGCHLD}, told)
	h.tell()
	require.Len(t, told, 4)
}

// What has arrived is delivered by Flush, and by nobody else once more.
func TestFlushDelivers(t *testing.T) {
	var told []syscall.Signal
	c := Catcher{handler: &handler{deliver: func(sig syscall.Signal) { told = append(told, sig) }}}
	counts[syscall.SIGINT] = 1
	c.Flush()
	c.Flush()
	require.Equal(t, []syscall.Signal{syscall.SIGINT}, told)
}

// Flush returns no sooner than somebody else has delivered what that one took.
func TestFlushWaitsForWhoDelivers(t *testing.T) {
	delivering, proceed := make(chan struct{}), make(chan struct{})
	told := false
	c := Catcher{handler: &handler{deliver: func(syscall.Signal) {
		close(delivering)
		<-proceed
		told = true
	}}}
	counts[syscall.SIGINT] = 1
	go c.handler.tell()
	<-delivering
	time.AfterFunc(10*time.Millisecond, func() { close(proceed) })
	c.Flush()
	require.True(t, told)
}
