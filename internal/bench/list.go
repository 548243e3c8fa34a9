package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/ownership"
)

// listRow is what looking at everything costs.
var listRow = row{
	name: "list",
	work: "`session list` of 100,000 sessions, 1 % active",
	peer: "`find … \\| xargs cat`",
	goal: goal{atMost: 1},
	play: playList,
}

func playList(l *lab) (t turns, err error) {
	f, err := l.furnish()
	if err != nil {
		return t, err
	}
	n := l.of(100_000, 1000)
	if err := f.grow(n/100, ownership.RecordActive); err != nil {
		return t, err
	}
	held, err := f.holdAll()
	if err != nil {
		return t, err
	}
	defer closeAll(held)
	if err := f.grow(n, ownership.RecordIdle); err != nil {
		return t, err
	}
	list := []string{l.program("session"), "--store", f.Identity(), "list"}
	note, err := l.listed(append(list, "--json"), n+1)
	if err != nil {
		return t, err
	}
	t.notes = append(t.notes, note)
	find := "find " + filepath.Join(f.Identity(), "sessions") + " -name record.json -print0 | xargs -0 cat"
	ours, peer := command{argv: list}, command{argv: []string{"/bin/sh", "-c", find}}
	for l.goesOn(5, t) {
		if err := t.turn(ours.once, peer.once); err != nil {
			return t, err
		}
	}
	return t, nil
}

// holdAll takes every life lock there is, as their owners would.
func (f *furnished) holdAll() (held []*os.File, err error) {
	for i := range f.n {
		life, err := os.OpenFile(filepath.Join(f.dir(f.key(i).Digest()), "life.1"), os.O_RDWR, 0)
		if err != nil {
			return held, err
		}
		held = append(held, life)
		if err := unix.Flock(int(life.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return held, err
		}
	}
	return held, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// listed counts the rows, and says when the first one came and how much memory it took.
func (l *lab) listed(argv []string, want int) (note string, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return "", err
	}
	var first time.Duration
	rows, held := 0, 0
	for lines := bufio.NewScanner(out); lines.Scan(); rows++ {
		if rows == 0 {
			first = time.Since(began)
		}
		if bytes.Contains(lines.Bytes(), []byte(`"state":"held"`)) {
			held++
		}
	}
	if err := cmd.Wait(); err != nil {
		return "", err
	}
	if rows != want || held != want/100 {
		return "", fmt.Errorf("%d rows, %d of them held, and not %d and %d", rows, held, want, want/100)
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	return fmt.Sprintf("the first row came after %v, with at most %d MiB in use", first.Round(time.Millisecond), peak), nil
}
