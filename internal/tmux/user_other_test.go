//go:build !linux

package tmux

import (
	"testing"
	"time"
)

// becomeAnotherUser need not do anything where only named servers are asked.
func becomeAnotherUser(*testing.T) {}

// hasten is for tests of what stays unreachable: it makes us give up sooner.
func hasten(t *testing.T) {
	t.Helper()
	patience := timeout
	timeout = time.Second
	t.Cleanup(func() { timeout = patience })
}
