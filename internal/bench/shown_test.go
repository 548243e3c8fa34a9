package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "show in README.md and the plots what testdata/speed/results.json holds")

// What the README shows is what was measured: nobody has put a figure there by hand.
func TestReadmeShowsWhatWasMeasured(t *testing.T) {
	module := filepath.Join("..", "..")
	kept, err := readBook(filepath.Join(module, "testdata", "speed"))
	require.NoError(t, err)
	if *update {
		require.NoError(t, kept.show(module))
	}
	readme, err := os.ReadFile(filepath.Join(module, "README.md"))
	require.NoError(t, err)
	require.True(t, strings.Contains(string(readme), tableBegins+kept.page()+tableEnds),
		"it is not: go test ./internal/bench -run TestReadme -update")
	for _, d := range plots {
		if points := kept.curve(d.row); len(points) > 1 {
			drawn, err := os.ReadFile(filepath.Join(module, "testdata", "speed", d.file))
			require.NoError(t, err)
			require.Equal(t, d.svg(points), string(drawn), d.file)
		}
	}
}
