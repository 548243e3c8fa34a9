package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"holdfast/lease"
)

// documented are the exit codes with which a printed command may end: it answered, it
// showed a preview, or it reports what it was asked to look for.
var documented = []int{0, 80, 85}

// typeNext runs a command for people and with --json, takes the commands that both
// print, and types each into a shell in the very state that printed it. What says that
// it changes nothing must change nothing; what changes something runs in a copy, and
// must exit 0. A signal to the holder comes last: no copy of a process can be had.
func typeNext(s *script, neg bool, args []string) {
	human, code := run(s, args...)
	answer, codeJSON := answerOf(s, withJSON(args)...)
	if code != codeJSON {
		s.Fatalf("exit code %d for people, %d with --json", code, codeJSON)
	}
	for _, n := range nextIn(s, answer) {
		line := shellCommand(n.Argv)
		if !slices.Contains(strings.Split(string(human), "\n"), indent+line) {
			s.Fatalf("people are not shown %s in\n%s", line, human)
		}
		sameWords(s, line, n.Argv)
		typeOne(s, n, line)
	}
}

// nextIn returns the commands of an answer, of its rows or of its findings, each once,
// signals last.
func nextIn(s *script, answer []byte) (next []lease.Next) {
	for row := range bytes.Lines(answer) {
		var shown struct {
			Next     []lease.Next
			Findings []struct{ Next []lease.Next }
		}
		decode(s, row, &shown)
		next = append(next, shown.Next...)
		for _, f := range shown.Findings {
			next = append(next, f.Next...)
		}
	}
	if len(next) == 0 {
		s.Fatalf("no command to type next: %s", answer)
	}
	slices.SortStableFunc(next, func(a, b lease.Next) int { return signals(a) - signals(b) })
	return slices.CompactFunc(next, func(a, b lease.Next) bool { return slices.Equal(a.Argv, b.Argv) })
}

// withJSON asks for JSON where that is an option of ours and not the command's.
func withJSON(args []string) []string { return slices.Insert(slices.Clone(args), 1, "--json") }

func signals(n lease.Next) int {
	if n.Argv[0] == "kill" {
		return 1
	}
	return 0
}

// run returns all that a command printed, and how it ended.
func run(s *script, args ...string) (out []byte, code int) {
	c := command(s, args[0], args[1:]...)
	out, err := c.CombinedOutput()
	checkEnded(s, err)
	return out, c.ProcessState.ExitCode()
}

// answerOf returns what a command printed for programs, and how it ended.
func answerOf(s *script, args ...string) (stdout []byte, code int) {
	c := command(s, args[0], args[1:]...)
	stdout, err := c.Output()
	checkEnded(s, err)
	return stdout, c.ProcessState.ExitCode()
}

func checkEnded(s *script, err error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatalf("%v", err)
	}
}

// sameWords checks that a shell makes of a line the very words that JSON has.
func sameWords(s *script, line string, argv []string) {
	out, code := run(s, "sh", "-c", `printf '%s\0' `+line)
	if words := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); code != 0 || !slices.Equal(words, argv) {
		s.Fatalf("a shell reads %q as %q", line, words)
	}
}

func typeOne(s *script, n lease.Next, line string) {
	switch {
	case signals(n) == 1:
		typeSignal(s, n, line)
	case n.ChangesState:
		inCopy(s, func() { typeLine(s, line, 0) })
	default:
		before := hashOf(s, contents)
		typeLine(s, line, documented...)
		if hashOf(s, contents) != before {
			s.Fatalf("%s said that it changes nothing", line)
		}
	}
}

func typeLine(s *script, line string, codes ...int) {
	if out, code := run(s, "sh", "-c", line); !slices.Contains(codes, code) {
		s.Fatalf("%s\nexits %d:\n%s", line, code, out)
	}
}

func typeSignal(s *script, n lease.Next, line string) {
	typeLine(s, line, 0)
	pid, err := strconv.Atoi(n.Argv[len(n.Argv)-1])
	s.Check(err)
	reap(s, pid)
	eventually(s, line+" ends the process", func() bool { return syscall.Kill(pid, 0) == syscall.ESRCH })
}

// reap waits for a holder that a printed command has told to end.
func reap(s *script, pid int) {
	for _, c := range s.Value(holdersKey{}).(holders) {
		if c.Process.Pid == pid {
			_ = c.Wait()
		}
	}
}

// inCopy does something to a copy that stands in the store's place, and puts the store
// back: its files keep their locks.
func inCopy(s *script, do func()) {
	store := s.Getenv("STORE")
	kept := store + ".kept"
	s.Check(os.Rename(store, kept))
	s.Check(exec.Command("cp", "-a", kept, store).Run())
	defer func() {
		s.Check(os.RemoveAll(store))
		s.Check(os.Rename(kept, store))
	}()
	do()
}

// decode reads exactly one JSON value.
func decode(s *script, b []byte, into any) {
	d := json.NewDecoder(bytes.NewReader(b))
	s.Check(d.Decode(into))
	if d.More() {
		s.Fatalf("more than one JSON value: %s", b)
	}
}
