package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
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
	return l.starts(100, command{argv: []string{l.program("session"), "--version"}}, command{argv: []string{l.program("bare")}})
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
	return l.starts(100, command{argv: argv}, command{argv: []string{l.program("bare")}})
}

// command is a program to start, and the exit code that it must end with.
type command struct {
	argv []string
	code int
	env  []string // beside the environment
}

// once starts it and waits for its end, with as little of our own as can be.
func (c command) once() (time.Duration, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	attributes := &syscall.ProcAttr{Env: append(os.Environ(), c.env...), Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}}
	began := time.Now()
	pid, err := syscall.ForkExec(c.argv[0], c.argv, attributes)
	if err != nil {
		return 0, err
	}
	var status syscall.WaitStatus
	for {
		if _, err = syscall.Wait4(pid, &status, 0, nil); err != syscall.EINTR {
			break
		}
	}
	took := time.Since(began)
	if err == nil && (!status.Exited() || status.ExitStatus() != c.code) {
		err = fmt.Errorf("%s ended with %d and not %d", filepath.Base(c.argv[0]), status.ExitStatus(), c.code)
	}
	return took, err
}

// several is so many one after the other, a piece.
func (c command) several(n int) side {
	return func() (time.Duration, error) {
		var all time.Duration
		for range n {
			took, err := c.once()
			if err != nil {
				return 0, err
			}
			all += took
		}
		return all / time.Duration(n), nil
	}
}

// starts lets two commands take turns.
func (l *lab) starts(full int, ours, peer command) (t turns, err error) {
	for l.goesOn(full, t) {
		if err := t.turn(ours.several(4), peer.several(4)); err != nil {
			return t, err
		}
	}
	return t, nil
}
