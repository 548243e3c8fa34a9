package admin

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// However late a change is told, whoever goes on from its time steps back to before the
// look that saw everything until then.
func TestNoTimeThatIsToldHidesWhatIsNot(t *testing.T) {
	for _, ago := range []time.Duration{0, time.Second, ahead, time.Minute, time.Hour} {
		w := watcher{looked: time.Now().Add(-ago)}
		told := w.now()
		require.False(t, told.After(time.Now()))
		require.True(t, goOnFrom(told, time.Now()).Before(w.looked), ago)
	}
}

func TestAClockThatWentBackHidesNothing(t *testing.T) {
	now := time.Now()
	require.Zero(t, goOnFrom(time.Time{}, now))
	require.Zero(t, goOnFrom(now.Add(time.Hour), now))
	require.Equal(t, now.Add(-stepBack), goOnFrom(now, now))
}
