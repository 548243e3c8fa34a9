package powerloss

import (
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"holdfast/internal/reliability/lab"
)

// step is one call of a log of strace -y -xx.
type step struct {
	name   string
	flags  string   // all the arguments, as they are
	paths  []string // of its descriptors, in order
	fds    []int    // likewise; -1 is the working directory
	words  []string // its strings, in order
	last   int64    // its last argument, if that is a number
	result int      // -1: it failed
}

// followed are the calls that make up what a disk holds.
var followed = []string{
	"openat", "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "mkdirat", "linkat", "renameat", "renameat2", "unlinkat", "close",
	// What they leave on a disk is durable with the name.
	"fchmod", "fchmodat", "?fchmodat2", "flock",
}

// tracing are the options of strace whose log readSteps reads.
func tracing(log string) []string {
	return append(lab.Following(log, followed), "-xx", "-s", "8388608")
}

// readSteps reads what the main thread did, and returns an error if somebody else changed
// what is below a directory.
func readSteps(log, below string) ([]step, error) {
	logs, err := lab.ReadLogs(log)
	if err == nil {
		err = logs.Unseen(below, followed)
	}
	return parseSteps(logs.Main), err
}

var (
	aCall   = regexp.MustCompile(`^(\w+)\((.*)\) += (-?\d+)`)
	aFile   = regexp.MustCompile(`(\d+|AT_FDCWD)<([^>]*)>`)
	aString = regexp.MustCompile(`"([^"]*)"`)
	aNumber = regexp.MustCompile(`, (\d+)$`)
)

func parseSteps(log string) (steps []step) {
	for line := range strings.Lines(log) {
		m := aCall.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		s := step{name: m[1], flags: m[2], result: number(m[3])}
		for _, f := range aFile.FindAllStringSubmatch(m[2], -1) {
			s.fds, s.paths = append(s.fds, number(f[1])), append(s.paths, plain(f[2]))
		}
		for _, w := range aString.FindAllStringSubmatch(m[2], -1) {
			s.words = append(s.words, plain(w[1]))
		}
		if n := aNumber.FindStringSubmatch(m[2]); n != nil {
			s.last = int64(number(n[1]))
		}
		steps = append(steps, s)
	}
	return steps
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// plain undoes the escapes of strace -xx.
func plain(s string) string {
	b, err := hex.DecodeString(strings.ReplaceAll(s, `\x`, ""))
	if err != nil {
		return s
	}
	return string(b)
}

// path returns the nth path of a call that names files below directories.
func (s step) path(n int) string {
	if filepath.IsAbs(s.words[n]) || n >= len(s.paths) {
		return s.words[n]
	}
	return filepath.Join(s.paths[n], s.words[n])
}

// starts reports whether the call started another process. The language's runtime
// starts threads by the same call, unless the C library does it.
func (s step) starts() bool {
	return s.name == "clone" && s.result > 0 && !strings.Contains(s.flags, "CLONE_THREAD")
}
