package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// versionRow and inspectRow are what it takes until the command has an answer.
var (
	versionRow = row{
		name: "version",
		work: "`session --version`",
		peer: "a bare Go program",
		goal: goal{atMost: 1.6},
		play: playVersion,
	}
	inspectRow = row{
		name: "inspect",
		work: "`session inspect K`, idle",
		peer: "a bare Go program",
		goal: goal{atMost: 1.8},
		play: playInspect,
	}
)

func playVersion(l *lab) (turns, error) {
	if out, err := exec.Command(l.program("session"), "--version").Output(); err != nil || !strings.HasPrefix(string(out), "session ") {
		return turns{}, fmt.Errorf("session --version said %q: %w", out, err)
	}
	return l.besideBare(command{argv: []string{l.program("session"), "--version"}})
}

func playInspect(l *lab) (turns, error) {
	s, err := l.store()
	if err != nil {
		return turns{}, err
	}
	if err := cycles(s, keyOf("k"), 1); err != nil {
		return turns{}, err
	}
	argv := []string{l.program("session"), "--store", s.Identity(), "inspect", "k"}
	if out, err := exec.Command(argv[0], argv[1:]...).Output(); err != nil || !strings.HasPrefix(string(out), "k is idle") {
		return turns{}, fmt.Errorf("session inspect said %q: %w", out, err)
	}
	return l.besideBare(command{argv: argv})
}

// besideBare lets a command take turns with the least of its kind.
func (l *lab) besideBare(c command) (t turns, err error) {
	bare := command{argv: []string{l.program("bare")}}
	if t, err = l.starts(100, c, bare); err != nil {
		return t, err
	}
	t.counts, err = l.countStarts(c, bare)
	return t, err
}
