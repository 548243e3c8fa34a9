package tmux

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// One census answers for every name as asking for each would.
func TestCensusAnswersAsAsking(t *testing.T) {
	private(t)
	names := []string{"web-42", "web-4", "a.b", "elsewhere", "$1", "", "nobody"}

	requireSame := func() {
		census := TakeCensus(t.Context())
		for _, name := range names {
			want, at, wantErr := Ask(t.Context(), name)
			got, socket, err := census.Ask(name)
			require.Equal(t, want, got, name)
			require.Equal(t, at, socket, name)
			require.Equal(t, wantErr == nil, err == nil, "%s: %v, %v", name, wantErr, err)
		}
	}
	requireSame()
	serve(t, "", "web-42", "a.b")
	socket := filepath.Join(shortDir(t), "s")
	serve(t, socket, "elsewhere")
	requireSame()

	hasten(t)
	require.NoError(t, os.Remove(socket)) // its server lives on, and cannot be asked
	census := TakeCensus(t.Context())
	_, _, err := census.Ask("nobody")
	require.Error(t, err, "one server could not be asked")
	present, _, err := census.Ask("web-42")
	require.NoError(t, err)
	require.Equal(t, Present, present)
}
