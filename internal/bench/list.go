package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	list, find := f.looks(l)
	note, err := l.listed(append(list.argv, "--json"), n+1)
	if err != nil {
		return t, err
	}
	t.notes = append(t.notes, note)
	for l.goesOn(5, t) {
		if err := t.turn(list.once, find.once); err != nil {
			return t, err
		}
	}
	t.counts, err = l.countList()
	return t, err
}

// countList counts what each session more adds to a list.
func (l *lab) countList() (*counts, error) {
	few, many := l.of(1000, 50), l.of(2000, 100)
	list := func(n int) (command, error) { c, _, err := l.looksAt(n); return c, err }
	find := func(n int) (command, error) { _, c, err := l.looksAt(n); return c, err }
	return l.count(load{few, many, list}, &load{few, many, find})
}

// looksAt are the two commands for a store with so many sessions, none of them active.
func (l *lab) looksAt(n int) (list, find command, err error) {
	f, err := l.furnish()
	if err != nil {
		return list, find, err
	}
	list, find = f.looks(l)
	return list, find, f.grow(n, ownership.RecordIdle)
}

// looks are the two commands that look at everything.
func (f *furnished) looks(l *lab) (list, find command) {
	words := "find " + filepath.Join(f.Identity(), "sessions") + " -name record.json -print0 | xargs -0 cat"
	return command{argv: []string{l.program("session"), "--store", f.Identity(), "list"}}, command{argv: []string{"/bin/sh", "-c", words}}
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

// peakOf returns the most memory that a process has had so far, in MiB, or 0 where it has
// ended. What wait4 tells of it has in it what this process had when it started that one.
func peakOf(pid int) (mib int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	var kib int
	if _, err := fmt.Sscan(line, &kib); err != nil {
		return 0
	}
	return (kib + 1023) >> 10
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
	rows, held, peak := 0, 0, 0
	for lines := bufio.NewScanner(out); lines.Scan(); rows++ {
		if rows == 0 {
			first = time.Since(began)
		}
		if rows%1000 == 0 {
			peak = max(peak, peakOf(cmd.Process.Pid))
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
	return fmt.Sprintf("the first row came after %v, with at most %d MiB in use", first.Round(time.Millisecond), peak), nil
}
