package supervise

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Requests to end may come in pairs. When nobody is left, the second one strands nothing
// that a first answer, due at any moment, would release; it strands what does not answer.
func TestAFurtherRequestWaitsForTheFirstAnswer(t *testing.T) {
	now := time.Now()
	ready := func() *run {
		return &run{
			Command: &Command{}, childless: true, result: Result{Ended: syscall.SIGTERM},
			inquiry: &inquiry{asks: "anything is left", asking: true, began: now}, timer: time.NewTimer(0),
		}
	}
	r := ready()
	r.request(syscall.SIGHUP, now.Add(time.Millisecond))
	require.False(t, r.done)
	r.inquiry.settle(now, answer{})
	r.streams = &streams{over: true}
	r.proceed(now)
	require.True(t, r.done)
	require.True(t, r.result.Quiescent)

	r = ready()
	r.request(syscall.SIGHUP, now.Add(time.Millisecond))
	r.inquiry.settle(now, answer{what: "its runtime lives"})
	r.proceed(now)
	require.True(t, r.done)
	require.False(t, r.result.Quiescent)

	r = ready()
	r.request(syscall.SIGHUP, now.Add(echo))
	require.True(t, r.done)
	require.False(t, r.result.Quiescent)
}
