//go:build linux

package supervise_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExitStatus(t *testing.T) {
	for _, code := range []int{0, 1, 2, 42, 75, 125, 255} {
		w := run(t, spec{Argv: sh(fmt.Sprintf("exit %d", code))})
		require.Equal(t, code, w.wait())
		require.Equal(t, code, w.report().Exit.Code)
	}
	w := run(t, spec{Argv: sh("kill -9 $$")})
	require.Equal(t, 137, w.wait())
	require.True(t, w.report().Quiescent)
}

func TestCommandIsResolvedAsByAShell(t *testing.T) {
	dir := t.TempDir()
	file := func(name, content string, mode os.FileMode) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), mode))
	}
	file("plain/tool", "exit 3", 0o600)
	file("good/tool", "#!/bin/sh\nexit 4\n", 0o700)
	file("good/script", "exit $1", 0o700)
	file("good/binary", "\x7fELX\x00\x00\n", 0o700)
	file("good/empty", "", 0o700)
	file("good/orphan", "#!/nonexistent/interpreter\n", 0o700)
	file("here", "exit 5", 0o700)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "good/folder"), 0o700))

	for _, c := range []struct {
		path string
		argv []string
		want int
	}{
		{"plain:good", []string{"tool"}, 4},
		{"plain", []string{"tool"}, 126},
		{"good", []string{"script", "6"}, 6},
		{"good", []string{"binary"}, 126},
		{"good", []string{"empty"}, 0},
		{"good", []string{"orphan"}, 127},
		{"good", []string{"folder"}, 127},
		{"good", []string{"missing"}, 127},
		{"good", []string{""}, 127},
		{"good:", []string{"here"}, 5},
		{"", []string{"here"}, 5},
		{"good", []string{"here"}, 127},
		{"good", []string{"./here"}, 5},
		{"good", []string{"good/folder"}, 126},
		{"good", []string{"plain/tool"}, 126},
		{"good", []string{"./missing"}, 127},
		{"good", []string{"here/below"}, 127},
		{"good", []string{filepath.Join(dir, "good/tool")}, 4},
		{"good", nil, 127},
	} {
		w := prepare(t, spec{Argv: c.argv, Dir: dir})
		w.cmd.Env = append(os.Environ(), "PATH="+c.path)
		w.start()
		require.Equal(t, c.want, w.wait(), "PATH=%s %q: %s", c.path, c.argv, w.report().Err)
	}
}
