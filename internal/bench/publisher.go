package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// recordSize is the size of the record of a session that says what most say, in bytes.
const recordSize = 1100

// publisher publishes and does nothing else: create, write, fsync, rename, fsync of the
// directory.
type publisher struct {
	each func(n int) (time.Duration, error)
	end  func() error
	argv []string // of the process that it is; nil where it is none
	in   string   // what it is written in
}

// times is a peer whose piece is so many publishes.
func (p *publisher) times(publishes int) peer {
	each := func(n int) (time.Duration, error) {
		one, err := p.each(publishes * n)
		return time.Duration(publishes) * one, err
	}
	if p.argv == nil {
		return peer{each, nil}
	}
	w := workOf(publishes, p.argv...)
	return peer{each, &w}
}

// publisher starts the bare publish in a fresh directory: in C, or where there is no
// compiler the same calls in Go.
func (l *lab) publisher() (*publisher, error) {
	path, err := l.place()
	if err != nil {
		return nil, err
	}
	program, err := l.compile()
	if errors.Is(err, exec.ErrNotFound) {
		return publisherInGo(path), nil
	}
	if err != nil {
		return nil, err
	}
	argv := []string{program, path, fmt.Sprint(recordSize)}
	w, err := startWorker(argv[0], argv[1:]...)
	if err != nil {
		return nil, err
	}
	return &publisher{w.each, w.end, argv, "C"}, nil
}

// compile builds the bare publish once.
func (l *lab) compile() (string, error) {
	program := l.program("publish")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	source := program + ".c"
	if err := os.WriteFile(source, []byte(publishSource), 0o600); err != nil {
		return "", err
	}
	out, err := exec.Command("gcc", "-O2", "-o", program, source).CombinedOutput()
	if err != nil && !errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("gcc: %w\n%s", err, out)
	}
	return program, err
}

func publisherInGo(path string) *publisher {
	b := make([]byte, recordSize)
	each := func(n int) (time.Duration, error) {
		dir, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer dir.Close()
		return taken(n, func() error {
			for range n {
				if err := publishIn(dir, path, b); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return &publisher{each: each, end: func() error { return nil }, in: "Go, since there is no gcc"}
}

func publishIn(dir *os.File, path string, b []byte) error {
	next := filepath.Join(path, "next")
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o600))
	if err != nil {
		return err
	}
	if _, err := f.Write(b); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(next, filepath.Join(path, "record")), dir.Sync())
}
