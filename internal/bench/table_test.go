package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// cells holds each line of a table to its columns; a cell may hold an escaped bar.
func cells(t *testing.T, table string, columns int) []string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(table), "\n")
	for _, line := range lines {
		require.Equal(t, columns+1, strings.Count(line, "|")-strings.Count(line, `\|`), line)
	}
	return lines[2:]
}

func TestTable(t *testing.T) {
	lines := cells(t, sample().table(), 8)
	require.Len(t, lines, 5)
	require.Contains(t, lines[0], "| ≤ 1.25 × | 2 ms | 2 ms | 1.00 (0.90–1.10) | yes |")
	require.Contains(t, lines[1], "| not measured: etcd is not installed | – | – | – |")
	require.Contains(t, lines[2], "| not measured: a wrong answer | – | – | – |")
	require.Contains(t, lines[3], "| ≤ 25 µs | 25 µs (24 µs–26 µs) | – | – | **no** |")
	require.Contains(t, lines[4], "| 1.30 (0.90–1.40) | **no** |")
	cells(t, (&book{Results: everyRow()}).table(), 8)
}

func everyRow() (all []result) {
	for _, name := range names() {
		all = append(all, ofRow(name, "monday"))
	}
	return all
}

func TestTolls(t *testing.T) {
	require.Equal(t, []string{
		"| cycle | 1,182 (4) | 12 (4) | 1.2 ms | 300 µs | 1,234 |",
		"| refused | not counted: strace is not installed | – | 20 µs | – | 49 |",
	}, cells(t, sample().tolls(), 6))
	require.Empty(t, (&book{Results: everyRow()}).tolls(), "nothing was counted")
}

func TestEveryRowHasAPeerOrATimeAsItsGoal(t *testing.T) {
	known := map[string]bool{}
	for _, r := range rows {
		require.False(t, known[r.name], r.name)
		known[r.name] = true
		require.Equal(t, r.peer == "", r.goal.within > 0, r.name)
		require.NotNil(t, r.play, r.name)
	}
}

func TestFigures(t *testing.T) {
	for ns, want := range map[float64]string{0: "–", 512: "512 ns", 25_148: "25.1 µs", 3_175_505: "3.18 ms", 1.892e9: "1.89 s"} {
		require.Equal(t, want, inTime(ns))
	}
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1_000_000: "1,000,000", 100_012: "100,012"} {
		require.Equal(t, want, inThousands(n))
	}
	require.Equal(t, "–", inRatio(spread{}))
}

func TestSplice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(path, []byte("before\n"+tableBegins+"old\n"+tableEnds+"after\n"), 0o600))
	require.NoError(t, splice(path, "new\n"))
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "before\n"+tableBegins+"new\n"+tableEnds+"after\n", string(b))

	require.NoError(t, os.WriteFile(path, []byte("no marks\n"), 0o600))
	require.Error(t, splice(path, "new\n"))
	b, err = os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "no marks\n", string(b))
}

func TestOptions(t *testing.T) {
	o, err := parse([]string{"-only", "cycle,run", "-rounds", "3"})
	require.NoError(t, err)
	require.Equal(t, options{only: []string{"cycle", "run"}, rounds: 3}, o)
	o, err = parse(nil)
	require.NoError(t, err)
	require.Equal(t, names(), o.only)
	for _, wrong := range [][]string{{"-only", "cycles"}, {"-quick", "-write"}, {"cycle"}} {
		_, err := parse(wrong)
		require.Error(t, err, wrong)
	}
}
