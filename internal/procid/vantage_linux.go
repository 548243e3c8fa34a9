package procid

import (
	"errors"
	"fmt"
)

// initialNamespace is the inode number of the first pid namespace of every kernel (PROC_PID_INIT_INO). It contains all
// processes there are.
const initialNamespace = 0xEFFFFFFC

// vantage is where we look from: which namespace is ours, and which one /proc shows.
type vantage struct {
	own    uint64 // our pid namespace
	shown  uint64 // that of /proc; 0 when unknown
	status status // our own
}

// lookAround returns an error when /proc does not even show ourselves.
func lookAround() (vantage, error) {
	self, err := openDir(procRoot + "/self")
	if err != nil {
		return vantage{}, unreadableProc(err)
	}
	defer self.close()
	var here vantage
	if here.status, err = self.readStatus(); err != nil {
		return vantage{}, unreadableProc(err)
	}
	if here.own, err = self.namespace(); err != nil {
		return vantage{}, unreadableProc(err)
	}
	here.shown = here.shownNamespace()
	return here, nil
}

// unreadableProc hides errGone, which here does not mean that a process has gone.
func unreadableProc(err error) error {
	if errors.Is(err, errGone) {
		return errors.New("/proc does not show this process")
	}
	return fmt.Errorf("/proc does not show this process: %w", err)
}

func (here vantage) shownNamespace() uint64 {
	if here.procIsOurs() {
		return here.own
	}
	first, err := openDir(procRoot + "/1")
	if err != nil {
		return 0
	}
	defer first.close()
	namespace, err := first.namespace()
	if err != nil {
		return 0
	}
	return namespace
}

// procIsOurs reports whether /proc numbers processes as our system calls do. It does not after `unshare --pid --fork`
// without a new mount of /proc; then we have more than one number there.
func (here vantage) procIsOurs() bool { return len(here.status.pids) == 1 }

// requireOwnProc is for answers whose pids somebody may use.
func requireOwnProc() (vantage, error) {
	here, err := lookAround()
	if err == nil && !here.procIsOurs() {
		err = ErrForeignProc
	}
	return here, err
}

// namespace is the inode number of the pid namespace of a process. Others' need the right to inspect them.
func (d procDir) namespace() (uint64, error) {
	st, err := d.stat("ns/pid")
	return st.Ino, err
}

func ownNamespace() *uint64 {
	self, err := openDir(procRoot + "/self")
	if err != nil {
		return nil
	}
	defer self.close()
	namespace, err := self.namespace()
	if err != nil {
		return nil
	}
	return &namespace
}
