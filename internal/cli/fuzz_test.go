package cli

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// fuzzed are the commands that neither run anything nor write outside the store, and
// that end by themselves.
var fuzzed = []string{"inspect", "list", "recover", "assert", "pulse", "history", "prune", "doctor", "help", "version", ""}

// Whatever is typed gets an answer of the contract: nothing panics, and nothing is a
// defect. The rest of the seeds is committed beside it.
func FuzzArguments(f *testing.F) {
	for _, words := range [][]string{
		{"web/42"}, {"--json", "web/42"}, {"--digest", strings.Repeat("0", 64)}, {"--expect", "x", "k"},
		{"--older-than", "1h", "--dry-run"}, {"k", "idle,vacant"}, {"--state", "stranded"}, {"-h"}, {"--", "-k"},
	} {
		for command := range fuzzed {
			f.Add(command, strings.Join(words, "\x00"))
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, command int, words string) {
		args := []string{"session"}
		if name := fuzzed[uint(command)%uint(len(fuzzed))]; name != "" {
			args = append(args, name)
		}
		args = append(args, strings.Split(words, "\x00")...)
		if slices.ContainsFunc(args[1:], reachesFurther) {
			t.Skip("it would reach further than a store of its own")
		}
		t.Setenv("HOLDFAST_STORE", filepath.Join(t.TempDir(), "store"))
		v := &invocation{args: args, stdout: stream{file: null}, stderr: stream{file: null}}
		code := v.exit(v.root(args).Run(context.Background(), args))
		require.NotEqual(t, 1, code, "%q", args)
		require.True(t, code == 0 || slices.ContainsFunc(exits, func(r exitRow) bool { return r.code == code }), "%q: %d", args, code)
	})
}

// reachesFurther is for what would use another store, a file of anybody's, wait, or run
// something.
func reachesFurther(word string) bool {
	name := strings.TrimLeft(word, "-")
	return slices.ContainsFunc([]string{
		"store", "from", "watch", "w", "snapshot", "run", "demo", "verdict", "completion", "plan", "apply", "reconcile",
	}, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) || strings.ContainsRune(word, '/') && word[0] == '-'
}
