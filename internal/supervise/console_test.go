//go:build linux

package supervise_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// console is an interactive bash on a real terminal.
type console struct {
	t   *testing.T
	dir string
	tty *os.File
	cmd *exec.Cmd

	mu     sync.Mutex
	screen strings.Builder
	from   int // what of the screen was consumed
}

const prompt = "READY> "

func newConsole(t *testing.T) *console {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		testkit.Skip(t, "no bash")
	}
	c := &console{t: t, dir: t.TempDir(), cmd: exec.Command(bash, "--norc", "--noediting", "-i")}
	c.cmd.Dir = c.dir
	c.cmd.Env = append(os.Environ(), "PS1="+prompt, "TERM=dumb", "LC_ALL=C", "HISTFILE=")
	c.tty, err = pty.StartWithSize(c.cmd, &pty.Winsize{Rows: 24, Cols: 200})
	require.NoError(t, err)
	go c.read()
	t.Cleanup(c.close)
	c.expect(prompt)
	return c
}

func (c *console) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := c.tty.Read(buffer)
		if err != nil {
			return
		}
		c.mu.Lock()
		c.screen.Write(buffer[:n])
		c.mu.Unlock()
	}
}

func (c *console) close() {
	_ = c.tty.Close() // hangs up: bash and its jobs end
	_ = c.cmd.Process.Kill()
	_, _ = c.cmd.Process.Wait()
}

func (c *console) typed(keys string) {
	c.t.Helper()
	_, err := c.tty.WriteString(keys)
	require.NoError(c.t, err)
}

// expect waits until text appears behind what was expected last.
func (c *console) expect(text string) {
	c.t.Helper()
	eventually(c.t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		at := strings.Index(c.screen.String()[c.from:], text)
		if at >= 0 {
			c.from += at + len(text)
		}
		return at >= 0
	}, "no %q on the terminal:\n%v", text, stringer(c.all))
}

func (c *console) all() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.screen.String()
}

type stringer func() string

func (s stringer) String() string { return s() }

// runs makes bash run the wrapper, in the foreground.
func (c *console) runs(s spec) {
	c.t.Helper()
	s.Report = filepath.Join(c.dir, "report")
	_ = os.Remove(s.Report)
	quoted := make([]string, 0, 3)
	for _, word := range argvOf(c.t, s) {
		quoted = append(quoted, "'"+strings.ReplaceAll(word, "'", `'\''`)+"'")
	}
	script := filepath.Join(c.dir, "wrapper")
	require.NoError(c.t, os.WriteFile(script, []byte("#!/bin/sh\nexec "+strings.Join(quoted, " ")+"\n"), 0o700))
	c.typed("./wrapper\n")
	c.expect("./wrapper\r\n")
}

// status expects the prompt, and the status of the command before it.
func (c *console) status(want string) {
	c.t.Helper()
	c.expect(prompt)
	c.typed("echo status=$?\n")
	c.expect("\r\nstatus=" + want + "\r\n")
	c.expect(prompt)
}

func (c *console) report() report { return (&wrapper{t: c.t, dir: c.dir}).report() }
