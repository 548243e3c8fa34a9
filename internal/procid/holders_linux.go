package procid

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// fileID names a file as stat does. The numbers in a lock's own line do not serve: on btrfs and overlayfs they name
// another device.
type fileID struct{ dev, ino uint64 }

// Holders lists the processes that hold an exclusive flock on this file through a descriptor of theirs: all that share
// an inherited one, and not the process that once took the lock (which /proc/locks would name, dead or alive). Shared
// locks are left out, because those are probes.
//
// With a *PartialError the list is valid, and processes that could not be looked into may be missing. Any other error
// means that nothing could be found out. An empty list does not prove that the lock is free.
func Holders(info fs.FileInfo) ([]Process, error) { return holdersBy(info, (*view).holds) }

// Keepers are the holders that will still hold the lock after an exec of theirs, and this process, which is at none. A
// holder that is no keeper may be a child between fork and exec, which has a copy of each of its parent's descriptors
// until the last step of exec, and which a busy machine may keep there for long. Errors are those of [Holders].
func Keepers(info fs.FileInfo) ([]Process, error) { return holdersBy(info, (*view).keeps) }

func holdersBy(info fs.FileInfo, holds asking) ([]Process, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil, fmt.Errorf("%q: no device and inode number known", info.Name())
	}
	if _, err := requireOwnProc(); err != nil {
		return nil, err
	}
	pids, err := listProcesses()
	if err != nil {
		return nil, err
	}
	return holdersAmong(pids, fileID{uint64(st.Dev), uint64(st.Ino)}, holds)
}

// asking asks whether a process holds a file's lock, in some sense.
type asking func(*view, fileID) (bool, error)

func holdersAmong(pids []int, file fileID, holds asking) ([]Process, error) {
	var found []Process
	var partial PartialError
	for _, pid := range pids {
		holder, err := holderOf(pid, file, holds)
		switch {
		case err == nil && holder != nil:
			found = append(found, *holder)
		case err != nil && !errors.Is(err, errGone):
			partial.Unreadable++
		}
	}
	if partial.Unreadable > 0 {
		return found, &partial
	}
	return found, nil
}

// holderOf returns nil when the process does not hold the lock.
func holderOf(pid int, file fileID, holds asking) (*Process, error) {
	v, err := look(pid)
	if err != nil {
		return nil, err
	}
	defer v.close()
	if v.dead || v.stat.kernelThread() {
		return nil, nil
	}
	if held, err := holds(&v, file); err != nil || !held {
		return nil, err
	}
	return new(v.process()), nil
}
