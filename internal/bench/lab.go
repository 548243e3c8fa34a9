package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// lab is where rows are played: the disk that is measured, memory, and what was built.
type lab struct {
	options
	base     string // on the disk
	built    string // programs
	memory   string // on tmpfs; "" where there is none
	from     origin
	stop     context.Context // ends when somebody ends the run
	building sync.Mutex
	places   int
	ends     time.Time // of the row that is played
	tidied   time.Time // when what the last row left was removed
}

//go:embed peers/publish.c
var publishSource string

func newLab(o options) (*lab, error) {
	base, err := chooseBase(o.disk)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(base))
	}
	l := &lab{options: o, base: base, built: filepath.Join(base, "bin"), from: originOf(base)}
	if memory, err := os.MkdirTemp("/dev/shm", "holdfast-bench-"); err == nil {
		l.memory = memory
	}
	l.stop = l.closeWhenStopped()
	if err := errors.Join(os.Mkdir(l.built, 0o700), l.build()); err != nil {
		return nil, errors.Join(err, l.close())
	}
	l.tidied = time.Now() // the builder removes as much as a row
	return l, nil
}

func (l *lab) close() error {
	err := remove(l.base)
	if l.memory != "" {
		err = errors.Join(err, os.RemoveAll(l.memory))
	}
	return err
}

// tidy removes what a row left, and has the disk know, so that the next one does not pay.
func (l *lab) tidy() error {
	defer func() { l.tidied = time.Now() }()
	for l.places > 0 {
		if err := remove(l.placed(l.places)); err != nil {
			return err
		}
		l.places--
	}
	return l.settle()
}

// settle waits until the disk has everything that was written, unless no figure matters.
func (l *lab) settle() error {
	if l.quick {
		return nil
	}
	if out, err := exec.Command("sync", "-f", l.base).CombinedOutput(); err != nil {
		return fmt.Errorf("sync -f: %w: %s", err, out)
	}
	return nil
}

// place returns a fresh directory on the disk.
func (l *lab) place() (string, error) {
	l.places++
	path := l.placed(l.places)
	return path, os.Mkdir(path, 0o700)
}

func (l *lab) placed(n int) string { return filepath.Join(l.base, fmt.Sprintf("place-%d", n)) }

// store returns a store that does not exist yet, on the disk.
func (l *lab) store() (*dirstore.Store, error) {
	path, err := l.place()
	if err != nil {
		return nil, err
	}
	return dirstore.Open(filepath.Join(path, "store"), dirstore.Options{})
}

// of returns how often to do something: the first number is for figures, the second to
// see that it works.
func (l *lab) of(full, quick int) int {
	if l.quick {
		return quick
	}
	return full
}

// goesOn reports whether a row takes another turn: it takes as many as it wants, and no
// more once its time is up, but one.
func (l *lab) goesOn(full int, t turns) bool {
	wanted := l.of(full, 2)
	if l.rounds > 0 {
		wanted = l.rounds
	}
	done := len(t.ours)
	return done == 0 || done < wanted && time.Now().Before(l.ends)
}

// program returns the path of something that was built.
func (l *lab) program(name string) string { return filepath.Join(l.built, name) }

// build makes the programs as a release is made and installed: without cgo, whose loader
// costs a millisecond at every start, and copied from what the linker wrote.
func (l *lab) build() error {
	l.building.Lock()
	defer l.building.Unlock()
	linked := filepath.Join(l.built, "linked")
	if err := os.MkdirAll(linked, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(l.stop, "go", "build", "-o", linked+"/", "./cmd/session", "./internal/bench/counted", "./internal/bench/host",
		"./internal/bench/peers/bare", "./internal/bench/peers/bbolt", "./internal/bench/peers/etcdput")
	cmd.Dir = moduleDir()
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it removes what it made
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return l.install(linked)
}

// install copies the programs of a directory to where they are started from. A linker
// writes its file here and there, and as small the pieces are in which the kernel keeps it
// until it reads it from the disk anew: each start would pay for them.
func (l *lab) install(linked string) error {
	programs, err := os.ReadDir(linked)
	if err != nil {
		return err
	}
	for _, p := range programs {
		b, err := os.ReadFile(filepath.Join(linked, p.Name()))
		if err == nil {
			err = os.WriteFile(l.program(p.Name()), b, 0o700)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// moduleDir is where go.mod is; a program that `go run` starts is in its directory or
// below.
func moduleDir() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "."
	}
	return string(out[:len(out)-1])
}

var background = context.Background()

func keyOf(format string, args ...any) ownership.Key {
	key, err := ownership.ParseKey(fmt.Sprintf(format, args...))
	if err != nil {
		panic(err) // a constant of this program
	}
	return key
}
