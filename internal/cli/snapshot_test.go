package cli

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// How far a snapshot is shows on a terminal, and nowhere else.
func TestProgressIsForTerminals(t *testing.T) {
	const step = "\r\x1b[Kgiving the snapshot its name"
	transcript, err := filepath.Abs("snapshot_test.go")
	require.NoError(t, err)
	take := func(options ...string) []string {
		return append(options, "snapshot", "take", "K", "--transcript", transcript, "--out", filepath.Join(t.TempDir(), "snap"))
	}
	require.Contains(t, onTerminal(t, nil, take()...), step)
	require.NotContains(t, onTerminal(t, nil, take("--quiet")...), step)
	require.NotContains(t, onTerminal(t, []string{"TERM=dumb"}, take()...), step)
	require.Empty(t, session(t, t.TempDir(), take()...).stderr)
}

func TestBar(t *testing.T) {
	for done, want := range map[int64]string{
		0: "[....................]", 1: "[....................]", 50: "[##########..........]", 100: "[####################]", 101: "[####################]",
	} {
		require.Equal(t, want, drawn(done, 100))
	}
}

func TestBytesOf(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0 bytes", 1: "1 byte", 1023: "1023 bytes", 1024: "1.0 KiB", 5 << 20: "5.0 MiB", 3 << 29: "1.5 GiB", 5000 << 40: "5000.0 TiB",
	} {
		require.Equal(t, want, bytesOf(n))
	}
}
