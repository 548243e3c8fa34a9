package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// scheduling is what Go's runtime asks for to run goroutines, a little more or less of it
// each time: it is not counted.
const scheduling = "futex,nanosleep,sched_yield,epoll_wait,epoll_pwait,tgkill,getpid,rt_sigreturn,madvise"

// waiting are the calls that return once the disk has something.
var waiting = []string{"fsync", "fdatasync", "syncfs", "sync_file_range", "msync"}

// tracer is strace, where there is one that may trace.
func tracer() (string, error) {
	path, err := tool("strace", "strace")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command(path, "-c", "-o", os.DevNull, "true").CombinedOutput(); err != nil {
		return "", missingError(fmt.Sprintf("strace traces nothing here: %s", strings.TrimSpace(string(out))))
	}
	return path, nil
}

// traced counts the system calls of a command and of all that it starts, and those among
// them that wait for the disk.
func (l *lab) traced(c command) ([]float64, error) {
	strace, err := tracer()
	if err != nil {
		return nil, err
	}
	told := filepath.Join(l.base, "calls")
	c.argv = append([]string{strace, "-f", "-c", "-o", told, "-e", "trace=!" + scheduling, "--"}, c.argv...)
	if _, err := c.spent(); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(told)
	if err != nil {
		return nil, err
	}
	all, syncs, err := countedIn(string(b))
	return []float64{float64(all), float64(syncs)}, err
}

// countedIn adds up strace's table: per cent, seconds, microseconds, calls, errors if
// there were any, and the name.
func countedIn(table string) (all, syncs int, err error) {
	for line := range strings.Lines(table) {
		cells := strings.Fields(line)
		if len(cells) < 5 || cells[len(cells)-1] == "total" {
			continue
		}
		n, err := strconv.Atoi(cells[3])
		if err != nil {
			continue // the heading, or the line below it
		}
		all += n
		if slices.Contains(waiting, cells[len(cells)-1]) {
			syncs += n
		}
	}
	if all == 0 {
		return 0, 0, errors.New("strace counted nothing")
	}
	return all, syncs, nil
}
