package sqlitecopy

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// startMover starts a program that moves money; the function ends it and says what it did.
func startMover(t testing.TB, path, habits string) (stop func() movements) {
	t.Helper()
	if strings.HasPrefix(habits, "sqlite3") {
		return startPlainMover(t, path, strings.HasSuffix(habits, "reopen"))
	}
	c := program("move", path, habits)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { in.Close(); c.Wait() })
	lines := bufio.NewReader(out)
	_, err = lines.ReadString('\n')
	require.NoError(t, err)
	return func() (m movements) {
		in.Close()
		require.NoError(t, json.NewDecoder(lines).Decode(&m))
		require.NoError(t, c.Wait())
		return m
	}
}

// startPlainMover does it with the sqlite3 tool, whose locks are those of the process.
func startPlainMover(t testing.TB, path string, reopen bool) (stop func() movements) {
	tool := plainSQLite(t)
	end, ended := make(chan struct{}), make(chan movements)
	going := func() bool {
		select {
		case <-end:
			return false
		default:
			return true
		}
	}
	go func() {
		var m movements
		for going() {
			m.add(plainSpell(tool, path, func(n int) bool { return going() && (n < 5 || !reopen) }))
		}
		ended <- m
	}()
	return func() movements { close(end); return <-ended }
}

func (m *movements) add(more movements) {
	m.Commits, m.Busy, m.Opens = m.Commits+more.Commits, m.Busy+more.Busy, m.Opens+more.Opens
}

// plainSpell is the time of one sqlite3. Whatever it complains of counts as busy.
func plainSpell(tool, path string, on func(n int) bool) (m movements) {
	var said bytes.Buffer
	c := exec.Command(tool, "-bail", path)
	c.Stderr = &said
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	script := ".timeout 5000\nPRAGMA synchronous=off;PRAGMA wal_autocheckpoint=20;\n"
	for n := 0; err == nil && on(n); n++ {
		_, err = in.Write([]byte(script + strings.Join(transferral(), ";") + ";\n"))
		script, m.Commits = "", m.Commits+1
	}
	m.Opens++
	if err != nil || in.Close() != nil || c.Wait() != nil || said.Len() > 0 {
		m.Busy++
	}
	return m
}
