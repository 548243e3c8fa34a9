package procid

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestOnlyRefusalsAreUnreadable: having been unable to ask is no kind of answer.
func TestOnlyRefusalsAreUnreadable(t *testing.T) {
	noAnswer := errors.New("stat in /proc without a program name")
	for _, c := range []struct {
		err        error
		unreadable int
		incomplete bool
	}{
		{nil, 0, false},
		{procError("environ", unix.ENOENT), 0, false},
		{procError("environ", unix.ESRCH), 0, false},
		{procError("environ", unix.EACCES), 1, false},
		{procError("stat", unix.EPERM), 1, false},
		{procError("environ", unix.EMFILE), 0, true},
		{procError("stat", unix.ENFILE), 0, true},
		{procError("environ", unix.ENOMEM), 0, true},
		{procError("environ", unix.EIO), 0, true},
		{errInTransit, 0, true},
		{noAnswer, 0, true},
	} {
		var s Scan
		s.note(7, c.err)
		require.Equal(t, c.unreadable, s.EnvironUnreadable, "%v", c.err)
		if !c.incomplete {
			require.NoError(t, s.Incomplete)
			continue
		}
		require.ErrorIs(t, s.Incomplete, c.err)
		s.note(8, errors.New("a later one"))
		require.ErrorIs(t, s.Incomplete, c.err, "the first says what was wrong")
	}
}
