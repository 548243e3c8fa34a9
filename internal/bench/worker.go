package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// worker is a process that does so many pieces of work for each number that it is sent,
// and says how many nanoseconds they took.
type worker struct {
	cmd     *exec.Cmd
	asks    io.WriteCloser
	answers *bufio.Reader
}

func startWorker(name string, args ...string) (*worker, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	asks, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &worker{cmd, asks, bufio.NewReader(answers)}, cmd.Start()
}

// line reads what the process says next.
func (w *worker) line() (string, error) {
	said, err := w.answers.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%s: %w", w.cmd.Path, err)
	}
	return strings.TrimSpace(said), nil
}

// each returns what one of n pieces took.
func (w *worker) each(n int) (time.Duration, error) {
	if _, err := fmt.Fprintln(w.asks, n); err != nil {
		return 0, err
	}
	said, err := w.line()
	if err != nil {
		return 0, err
	}
	var ns int64
	if _, err := fmt.Sscan(said, &ns); err != nil {
		return 0, fmt.Errorf("%s said %q: %w", w.cmd.Path, said, err)
	}
	return time.Duration(ns) / time.Duration(n), nil
}

// end lets the process come to its own end.
func (w *worker) end() error { return errors.Join(w.asks.Close(), w.cmd.Wait()) }
