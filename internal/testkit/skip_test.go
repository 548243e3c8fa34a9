package testkit_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// recorder notes how a test would have ended.
type recorder struct {
	testing.TB
	skipped, failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Skipf(string, ...any)  { r.skipped = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

func TestSkip(t *testing.T) {
	t.Setenv(testkit.RequireVariable, "")
	r := &recorder{TB: t}
	testkit.Skip(r, "no such tool")
	require.True(t, r.skipped)
	require.False(t, r.failed)
}

func TestSkipIsAFailureWhereNothingMayBeSkipped(t *testing.T) {
	t.Setenv(testkit.RequireVariable, "1")
	r := &recorder{TB: t}
	require.Panics(t, func() { testkit.Skip(r, "no such tool") })
	require.True(t, r.failed)
	require.False(t, r.skipped)
}
