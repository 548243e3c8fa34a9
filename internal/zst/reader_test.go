package zst_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/zst"
)

func TestBrokenProgramsFailReading(t *testing.T) {
	stream := []byte("some stream")
	for name, c := range map[string]struct {
		lines    string
		patience time.Duration
		damage   bool
	}{
		"finds damage":         {"echo session-zstd: damaged >&2; exit 65", hang, true},
		"fails":                {"exit 74", hang, false},
		"is another":           {"echo damaged >&2; exit 65", hang, false},
		"dies":                 {"echo half; kill -9 $$", hang, false},
		"gives half":           {"cat >/dev/null; echo half", hang, false},
		"takes half":           {"echo half; echo taken 1 given 5 >&2", hang, false},
		"lies":                 {"cat; echo taken 11 given 12 >&2", hang, false},
		"says what is no code": {"exit 255", hang, false},
		"stays behind":         {"sleep 0.2 & cat; exit 3", hang, false},
		"stands still":         {"echo half; exec sleep 300", 100 * time.Millisecond, false},
		"never ends":           {"cat; exec >&-; exec sleep 300", 100 * time.Millisecond, false},
		"reads elsewhere":      {"sleep 0.2; true", 100 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			defer zst.Limits(c.patience, 10*time.Millisecond)()
			_, err := read(t, script(t, c.lines), stream)
			var failed *zst.ProgramError
			require.Equal(t, c.damage, errors.Is(err, zst.ErrDamaged), "%v", err)
			require.Equal(t, !c.damage, errors.As(err, &failed), "%v", err)
		})
	}
	got, err := read(t, script(t, "cat; echo taken 11 given 11 >&2"), stream)
	require.NoError(t, err)
	require.Equal(t, stream, got)
}

// A reader that wants no more, or is told to stop, leaves no program behind.
func TestReadingThatStops(t *testing.T) {
	leavesNothing(t)
	defer zst.Limits(hang, 10*time.Millisecond)()
	p := script(t, "exec cat /dev/zero")
	r, err := p.NewReader(t.Context(), file(t, []byte("some stream")), 1<<20)
	require.NoError(t, err)
	_, err = io.ReadFull(r, make([]byte, 1<<20))
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.NoError(t, r.Close())

	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(enough) })
	for _, lines := range []string{"exec cat /dev/zero", "exec sleep 300", "sleep 0.2; true"} {
		r, err = script(t, lines).NewReader(ctx, file(t, []byte("some stream")), 1<<20)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
			require.NoError(t, r.Close())
		}
		require.ErrorIs(t, err, enough)
	}
}
