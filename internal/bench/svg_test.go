package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// elements counts those of a drawing by their names, and holds their places to its size.
func elements(t *testing.T, svg string) map[string]int {
	t.Helper()
	all := map[string]int{}
	for decoder := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		require.NoError(t, err)
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		all[start.Name.Local]++
		for _, a := range start.Attr {
			if n, err := strconv.ParseFloat(a.Value, 64); err == nil {
				require.True(t, n >= 0 && n <= width, "%s of %s is %v", a.Name.Local, start.Name.Local, n)
			}
		}
	}
}

func TestPlotShowsBothSides(t *testing.T) {
	b := sample()
	svg := plots[0].svg(b.curve("growth"))
	seen := elements(t, svg)
	require.Equal(t, 2, seen["polyline"])
	require.Equal(t, 4, seen["circle"])
	require.Contains(t, svg, ">1,000</text>")
	require.Contains(t, svg, ">two bare publishes</text>")

	alone := b.curve("growth")
	for n := range alone {
		alone[n].Peer = spread{}
	}
	require.Equal(t, 1, elements(t, plots[0].svg(alone))["polyline"])
}

func TestOnlyWhatWasMeasuredIsDrawn(t *testing.T) {
	dir := t.TempDir()
	b := sample()
	require.NoError(t, b.plot(dir))
	require.FileExists(t, filepath.Join(dir, "sessions.svg"))
	require.NoFileExists(t, filepath.Join(dir, "contenders.svg"))
	require.Contains(t, b.pictures(), "(testdata/speed/sessions.svg)")
	require.NotContains(t, b.pictures(), "contenders.svg")
	_, err := os.Stat(filepath.Join(dir, "sessions.svg"))
	require.NoError(t, err)
}
