package procid

import (
	"bytes"
	"fmt"
	"strconv"
)

// stat is what /proc/PID/stat says, as far as we need it (proc_pid_stat(5)).
type stat struct {
	pid        int
	comm       string // program name, cut at 15 bytes by the kernel
	state      byte
	parent     int
	group      int
	session    int
	flags      uint64
	threads    int
	startTicks uint64
	cpuTicks   uint64 // used by it, and by ended children that it waited for
	envStart   uint64 // bounds of the environment: both 0 until execve has copied it, or when we may not know
	envEnd     uint64
}

// Process flags of include/linux/sched.h.
const (
	flagExiting      = 0x00000004
	flagKernelThread = 0x00200000
)

// Places of the fields after the program name, counted from the state (field 3) as 0.
const (
	placeParent     = 4 - 3
	placeGroup      = 5 - 3
	placeSession    = 6 - 3
	placeFlags      = 9 - 3
	placeCPU        = 14 - 3 // four: in user and kernel mode, and those of children
	placeThreads    = 20 - 3
	placeStartTicks = 22 - 3
	placeEnvStart   = 50 - 3
	placeEnvEnd     = 51 - 3
)

// parseStat splits at the last parenthesis, because a program name may contain spaces, parentheses and newlines.
func parseStat(line []byte) (stat, error) {
	first, last := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if first < 0 || last < first {
		return stat{}, fmt.Errorf("stat in /proc without a program name: %q", line)
	}
	fields := bytes.Fields(line[last+1:])
	if len(fields) <= placeEnvEnd {
		return stat{}, fmt.Errorf("stat in /proc with %d fields after the name", len(fields))
	}
	n := decimals{}
	s := stat{
		pid:        int(n.parse(bytes.TrimSpace(line[:first]))),
		comm:       string(line[first+1 : last]),
		state:      fields[0][0],
		parent:     int(n.parse(fields[placeParent])),
		group:      int(n.parse(fields[placeGroup])),
		session:    int(n.parse(fields[placeSession])),
		flags:      n.parseUnsigned(fields[placeFlags]),
		threads:    int(n.parse(fields[placeThreads])),
		startTicks: n.parseUnsigned(fields[placeStartTicks]),
		envStart:   n.parseUnsigned(fields[placeEnvStart]),
		envEnd:     n.parseUnsigned(fields[placeEnvEnd]),
	}
	for _, field := range fields[placeCPU : placeCPU+4] {
		s.cpuTicks += n.parseUnsigned(field)
	}
	return s, n.err
}

// decimals keeps the first parse error.
type decimals struct{ err error }

func (n *decimals) parse(b []byte) int64 {
	v, err := strconv.ParseInt(string(b), 10, 64)
	n.keep(err)
	return v
}

func (n *decimals) parseUnsigned(b []byte) uint64 {
	v, err := strconv.ParseUint(string(b), 10, 64)
	n.keep(err)
	return v
}

func (n *decimals) keep(err error) {
	if n.err == nil && err != nil {
		n.err = fmt.Errorf("stat in /proc: %w", err)
	}
}

// ended reports whether this thread runs no more: zombie, or dead.
func (s stat) ended() bool { return s.state == 'Z' || s.state == 'X' || s.state == 'x' }

func (s stat) kernelThread() bool { return s.flags&flagKernelThread != 0 }

// hasEnvironmentOf reports whether n bytes are the whole environment. It is only to be asked by those who may read the
// environment: to others envStart and envEnd are 0.
func (s stat) hasEnvironmentOf(n int) bool {
	if s.envEnd == 0 {
		return n == 0 && s.flags&flagExiting != 0 && s.threads < 2
	}
	return uint64(n) == s.envEnd-s.envStart
}

// startedAs reports whether ticks can be the start of this process.
func (s stat) startedAs(ticks *uint64) bool { return isStart(ticks, s.startTicks) }
