package sigcatch

import (
	"syscall"
	"testing"

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
