package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func ofRow(name, run string) result {
	return result{Row: name, origin: origin{Run: run, Machine: "here"}}
}

func TestABookKeepsTheOrderOfTheTable(t *testing.T) {
	b := &book{Results: []result{ofRow("gone", "first"), ofRow("history", "first"), ofRow("cycle", "first")}}
	b.enter(ofRow("run", "second"))
	b.enter(ofRow("history", "second"))
	require.Equal(t, []result{ofRow("cycle", "first"), ofRow("run", "second"), ofRow("history", "second")}, b.Results)
	_, known := b.of("gone")
	require.False(t, known, "no row has that name any more")
}

func TestABookIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	none, err := readBook(dir)
	require.NoError(t, err)
	require.Empty(t, none.Results)

	b := sample()
	kept, err := json.MarshalIndent(b, "", "  ")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "results.json"), kept, 0o600))
	again, err := readBook(dir)
	require.NoError(t, err)
	require.Equal(t, b, again)
}

func TestEveryFigureSaysWhichRunItIsOf(t *testing.T) {
	b := &book{Results: []result{ofRow("cycle", "monday"), ofRow("run", "monday")}}
	require.Contains(t, b.remarks(), "Measured in one run that began monday, on here.")
	b.enter(ofRow("run", "tuesday"))
	require.Contains(t, b.remarks(), "cycle: measured in one run that began monday, on here.")
	require.Contains(t, b.remarks(), "run: measured in one run that began tuesday, on here.")
}

// sample is a book with a result of every kind.
func sample() *book {
	curve := []point{{10, spread{1e6, 2e6, 3e6}, spread{1e6, 1e6, 1e6}}, {1000, spread{2e6, 2.1e6, 4e6}, spread{1e6, 1e6, 2e6}}}
	figures := spread{1e6, 2e6, 3e6}
	return &book{Results: []result{
		{Row: "cycle", Turns: 3, Ours: figures, Peer: figures, Ratio: spread{0.9, 1, 1.1}, Reached: true, Counts: &counts{Ours: toll{1182, 4, 1.2e6}, Peer: toll{12, 4, 3e5}, Allocated: 1234}, Notes: []string{"a note"}},
		{Row: "etcd", Missing: "etcd is not installed"},
		{Row: "bbolt", Failure: "a wrong answer"},
		{Row: "refused", Turns: 3, Ours: spread{24e3, 25e3, 26e3}, Counts: &counts{Ours: toll{Processor: 2e4}, Allocated: 49, Missing: "strace is not installed"}},
		{Row: "growth", Turns: 3, Ours: figures, Peer: figures, Ratio: spread{0.9, 1.3, 1.4}, Curve: curve},
	}}
}
