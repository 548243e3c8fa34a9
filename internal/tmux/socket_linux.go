package tmux

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// socketOf returns where the server that this process is can be asked; empty when it is none, or has ended. An error
// means that it is one, or may be, and cannot be asked.
func socketOf(pid int) (server, error) {
	p, err := examine(pid)
	if err != nil || !p.mayServe() {
		return "", err
	}
	paths, err := listeningPaths(pid)
	switch {
	case gone(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("tmux process %d: %w", pid, err)
	case len(paths) > 0:
		return reachable(pid, paths)
	case p.isServer():
		return "", fmt.Errorf("tmux server %d has no socket", pid)
	}
	return "", nil
}

// reachable returns the path at which exactly this process listens.
func reachable(pid int, paths []string) (server, error) {
	if err := sameFiles(pid); err != nil {
		return "", err
	}
	for _, path := range paths {
		absolute, err := absoluteFor(pid, path)
		if err != nil {
			return "", err
		}
		// The file may have been removed, and another server may have made it again.
		if at, err := listener(absolute); err == nil && at == pid {
			return server(absolute), nil
		}
	}
	return "", fmt.Errorf("tmux server %d cannot be reached at its socket %q (SIGUSR1 makes it create that again)", pid, paths)
}

// sameFiles returns an error unless paths mean to the process what they mean to us. We do not ask through its root: a
// client does what a server tells it, down to running programs, and one in a container must not tell us.
func sameFiles(pid int) error {
	theirs, err := os.Readlink(procPath(pid, "ns/mnt"))
	if err != nil {
		return err
	}
	ours, err := os.Readlink("/proc/self/ns/mnt")
	if err != nil {
		return err
	}
	root, err := os.Stat(procPath(pid, "root"))
	if err != nil {
		return err
	}
	here, err := os.Stat("/")
	if err != nil {
		return err
	}
	if theirs != ours || !os.SameFile(root, here) {
		return fmt.Errorf("tmux server %d runs with other files (mount namespace or root) and can be asked only there", pid)
	}
	return nil
}

// absoluteFor resolves a path given as `tmux -S relative`: a server stays in the directory where it was started.
func absoluteFor(pid int, path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := os.Readlink(procPath(pid, "cwd"))
	return filepath.Join(dir, path), err
}

// listeningPaths are those of the unix sockets on which the process listens, as it gave them to bind.
func listeningPaths(pid int) (paths []string, err error) {
	inodes, err := socketsOf(pid)
	if err != nil {
		return nil, err
	}
	all, err := listening(procPath(pid, "net/unix"))
	for _, socket := range all {
		if inodes[socket.inode] {
			paths = append(paths, socket.path)
		}
	}
	return paths, err
}

// socketsOf are the inode numbers of the sockets that the process has open.
func socketsOf(pid int) (map[string]bool, error) {
	descriptors, err := os.ReadDir(procPath(pid, "fd"))
	if err != nil {
		return nil, err
	}
	inodes := map[string]bool{}
	for _, fd := range descriptors {
		link, err := os.Readlink(procPath(pid, "fd/"+fd.Name()))
		if err != nil && !gone(err) { // closed meanwhile
			return nil, err
		}
		if inode, ok := strings.CutPrefix(link, "socket:["); ok {
			inodes[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return inodes, nil
}

// listener returns the pid of the process that listens at the path; 0 when that is outside our pid namespace. To the
// server it is a client that goes at once.
func listener(path string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		return 0, err
	}
	peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(peer.Pid), nil
}
