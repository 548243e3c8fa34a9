package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// command is a program to start, which must end with 0.
type command struct {
	argv  []string
	env   []string // beside the environment
	input string
}

// spent runs it, with its input, for the processor time that it and all it started took.
func (c command) spent() ([]float64, error) {
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	cmd.Stdin = strings.NewReader(c.input)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", strings.Join(c.argv, " "), err, strings.TrimSpace(stderr.String()))
	}
	return []float64{float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())}, nil
}

// output runs it for what it prints.
func (c command) output() ([]byte, error) {
	out, err := exec.Command(c.argv[0], c.argv[1:]...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		err = fmt.Errorf("%s: %w: %s", strings.Join(c.argv, " "), err, bytes.TrimSpace(failed.Stderr))
	}
	return out, err
}

// once starts it and waits for its end, with as little of our own as can be.
func (c command) once() (time.Duration, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	attributes := &syscall.ProcAttr{Env: os.Environ(), Files: []uintptr{null.Fd(), null.Fd(), null.Fd()}}
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
	if err == nil && (!status.Exited() || status.ExitStatus() != 0) {
		err = fmt.Errorf("%s ended with %d", filepath.Base(c.argv[0]), status.ExitStatus())
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
