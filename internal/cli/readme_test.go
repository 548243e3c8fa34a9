package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

const (
	readme       = "../../README.md"
	journeyBegin = "<!-- journey -->\n```console\n"
	journeyEnd   = "```\n"
)

// TestReadmeJourney runs what the README shows, in order, and compares all but what
// differs each time. With -update it writes what was really printed into the README.
func TestReadmeJourney(t *testing.T) {
	text, err := os.ReadFile(readme)
	require.NoError(t, err)
	head, rest, ok := strings.Cut(string(text), journeyBegin)
	require.True(t, ok)
	shown, tail, ok := strings.Cut(rest, journeyEnd)
	require.True(t, ok)

	j := &journey{place: newPlace(t), home: t.TempDir(), now: map[string]string{}}
	j.store = filepath.Join(j.home, "state", "holdfast")
	var really strings.Builder
	for _, step := range steps(shown) {
		really.WriteString(j.take(step))
	}
	j.endBackground()
	if *update {
		require.NoError(t, os.WriteFile(readme, []byte(head+journeyBegin+really.String()+journeyEnd+tail), 0o644))
		return
	}
	require.Equal(t, masked(shown), masked(really.String()))
}

// step is a command that the README shows, and what it prints there.
type step struct{ line, output string }

func steps(shown string) []step {
	var all []step
	for line := range strings.Lines(shown) {
		if typed, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, step{line: strings.TrimSuffix(typed, "\n")})
		} else {
			all[len(all)-1].output += line
		}
	}
	return all
}

// journey follows the README in a home of its own.
type journey struct {
	place
	home       string
	background *exec.Cmd
	now        map[string]string // what the README calls by a hash or a pid, by what it is in this run
}

// names are what differs from run to run and is typed in later commands.
var names = regexp.MustCompile(`\b[0-9a-f]{64}\b|(?:\bpid|-TERM|-9) \d+\b`)

// take runs one step and returns it as it really went.
func (j *journey) take(s step) string {
	line := names.ReplaceAllStringFunc(s.line, func(old string) string {
		if now, ok := j.now[number(old)]; ok {
			return strings.Replace(old, number(old), now, 1)
		}
		return old
	})
	out := j.typed(line)
	j.learn(s.output, out)
	if out == "" {
		out = "\n"
	}
	return "$ " + line + "\n" + out
}

// learn finds out what the names of the README's run are called in this one.
func (j *journey) learn(shown, really string) {
	old, now := names.FindAllString(shown, -1), names.FindAllString(really, -1)
	for n := range min(len(old), len(now)) {
		j.now[number(old[n])] = number(now[n])
	}
}

func number(name string) string { return name[strings.LastIndex(name, " ")+1:] }

func (j *journey) typed(line string) string {
	if typed, ok := strings.CutSuffix(line, " &"); ok {
		j.background = j.shell("exec " + typed)
		require.NoError(j.t, j.background.Start())
		j.await("web/42", ownership.StateHeld)
		return ""
	}
	c := j.shell(line)
	out, _ := c.CombinedOutput()
	if pid, ok := strings.CutPrefix(line, "kill -9 "); ok {
		j.buried(pid)
	}
	return separated(string(out))
}

// separated ends what was printed with an empty line, for the eye.
func separated(out string) string {
	if out == "" {
		return ""
	}
	return out + "\n"
}

// buried waits until a process that was killed is gone, and its locks with it.
func (j *journey) buried(pid string) {
	n, err := strconv.Atoi(pid)
	require.NoError(j.t, err)
	if n == j.background.Process.Pid {
		_ = j.background.Wait()
		return
	}
	j.eventually(pid+" is gone", func() bool { return gone(n) || j.inspect("web/42").State != ownership.StateHeld })
}

func (j *journey) shell(line string) *exec.Cmd {
	c := j.program("sh", "-c", line)
	c.Dir = j.home
	c.Env = append(os.Environ(), "HOME="+j.home, "XDG_STATE_HOME="+filepath.Join(j.home, "state"), "HOLDFAST_STORE=")
	return c
}

func (j *journey) endBackground() {
	if j.background != nil && j.background.ProcessState == nil {
		_ = j.background.Process.Signal(syscall.SIGKILL)
		_ = j.background.Wait()
	}
}

// masked hides what differs from run to run and from machine to machine.
func masked(text string) string {
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	text = regexp.MustCompile(`\w+ on \w+|by \w+@\w+|\w+\[\d+\] \w+@\w+`).ReplaceAllString(text, "SOMEBODY")
	text = regexp.MustCompile(`-9 \d+`).ReplaceAllString(text, "-9 N")
	return regexp.MustCompile(`\s+`).ReplaceAllString(text, " ") // lines break where a name is longer
}
