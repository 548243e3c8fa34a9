package tmux

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestScreen(t *testing.T) {
	private(t)
	for _, name := range []string{"web-42", "-t", "$3x", "a.b"} {
		_, err := Screen(t.Context(), name)
		require.Error(t, err, name)
	}
	serve(t, "", "other", "-t", "a.b", "web-42")
	for _, name := range []string{"-t", "a.b", "web-42"} {
		client(t, "", "new-window", "-d", "-t", "="+spelledFor(t, name)+":", "printf 'this is %s' '"+name+"'; sleep 300")
		require.Eventually(t, func() bool {
			screen, err := Screen(t.Context(), name)
			require.NoError(t, err)
			require.Equal(t, 2, strings.Count(string(screen), "==== window and pane "), "every pane")
			return strings.Contains(string(screen), "this is "+name)
		}, 10*time.Second, 20*time.Millisecond, name)
	}
	for _, name := range []string{"web", "web-4", "*", "=web-42", "$0", "%1", ""} {
		_, err := Screen(t.Context(), name)
		require.Error(t, err, name)
	}
}

func spelledFor(t *testing.T, name string) string {
	t.Helper()
	spelled, err := spelled(name)
	require.NoError(t, err)
	return spelled
}
