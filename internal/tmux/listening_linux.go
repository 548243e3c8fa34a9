package tmux

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

// acceptsConnections is the flag of a listening socket in /proc/net/unix (__SO_ACCEPTCON).
const acceptsConnections = "00010000"

// bound is a listening unix socket.
type bound struct{ inode, path string }

// listensAt reports whether a unix socket bound to this path listens, even if its file was removed.
func listensAt(path string) (bool, error) {
	all, err := listening("/proc/net/unix")
	for _, socket := range all {
		if socket.path == path {
			return true, nil
		}
	}
	return false, err
}

// listening reads /proc/net/unix, or that of a process, whose network namespace may be another.
func listening(file string) (all []bound, err error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(content, []byte("Num ")) {
		return nil, fmt.Errorf("%s has an unknown form", file)
	}
	for line := range bytes.Lines(content) {
		if socket, ok := parseBound(strings.TrimSuffix(string(line), "\n")); ok {
			all = append(all, socket)
		}
	}
	return all, nil
}

// parseBound reads a line of address, references, protocol, flags, type, state, inode and path. Inodes are padded with
// spaces on the left, and a path may have some anywhere.
func parseBound(line string) (bound, bool) {
	fields := strings.Fields(line)
	if len(fields) < 8 || fields[3] != acceptsConnections {
		return bound{}, false
	}
	rest := line
	for _, field := range fields[:7] {
		_, rest, _ = strings.Cut(rest, field)
	}
	return bound{inode: fields[6], path: strings.TrimPrefix(rest, " ")}, true
}
