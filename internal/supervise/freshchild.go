package supervise

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// marker is the environment variable by which a fresh child knows itself: its
// value is the pid of the parent that made it, so that one which leaked means
// nothing.
const marker = "HOLDFAST_FRESH_CHILD_OF"

// NeedsFreshChild says whether this process must supervise from a fresh child: it
// has children already, which are not CMD's and would be waited for, or it is pid
// 1, which gets everybody's. Ask before anything is started.
func NeedsFreshChild() bool {
	if os.Getenv(marker) == strconv.Itoa(os.Getppid()) {
		return false
	}
	return os.Getpid() == 1 || hasChildren()
}

// InFreshChild executes this program again with the same arguments, environment and
// descriptors, forwards signals to it as [Run] does to CMD, and returns its exit
// code when it has ended. As pid 1 it reaps everybody meanwhile. Nothing must have
// been acquired yet: that is the fresh child's.
//
// An error means that it could not be started.
func InFreshChild(signals *Signals) (exitCode int, err error) {
	tty := openTerminal()
	defer tty.close()
	if tty != nil {
		signals.catchStops()
	}
	if err := signals.interruption(); err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(ownProgram(), os.Args, &syscall.ProcAttr{
		Env:   append(withoutMarker(os.Environ()), marker+"="+strconv.Itoa(os.Getpid())),
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setpgid: tty == nil},
	})
	if err != nil {
		return 0, fmt.Errorf("start %q: %w", os.Args[0], err)
	}
	s := shim{child: newChild(pid, tty), signals: signals}
	s.loop()
	return s.exit.ExitCode(), nil
}

// shim stands between whoever started us and the fresh child.
type shim struct {
	child
	signals *Signals
}

func (s *shim) loop() {
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	s.reap()
	for s.alive {
		select {
		case <-beat.C:
			s.reap()
		case <-s.signals.child:
			s.reap()
			s.followStop(func() {})
		case sig := <-s.signals.end:
			s.pass(sig)
		case sig := <-s.signals.other:
			s.pass(sig)
		}
	}
}

// reap leaves strangers to whoever started them, except as pid 1, where nobody
// else reaps orphans.
func (s *shim) reap() {
	whom := s.pid
	if os.Getpid() == 1 {
		whom = -1
	}
	for s.alive {
		pid, status, err := reap(whom)
		switch {
		case err == unix.ECHILD && unix.Kill(s.pid, 0) == unix.ESRCH:
			s.alive = false // somebody else took its end, or nobody could
		case err != nil || pid == 0:
			return
		case pid == s.pid:
			s.alive = false
			s.exit = statusOf(status)
		}
	}
}

// ownProgram prefers the program's path, by which processes are named in ps, to
// /proc/self/exe, unless another file is there now.
func ownProgram() string {
	const exact = "/proc/self/exe"
	path, err := os.Executable()
	if err != nil {
		return exact
	}
	here, err := os.Stat(path)
	running, err2 := os.Stat(exact)
	if err == nil && (err2 != nil || os.SameFile(here, running)) {
		return path
	}
	return exact
}

// withoutMarker is env for a process that is not the fresh child.
func withoutMarker(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		if !strings.HasPrefix(entry, marker+"=") {
			kept = append(kept, entry)
		}
	}
	return kept
}
