package procid

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

func (v *view) holds(file fileID) (bool, error) { return v.holdsBy(file, holdsFlock) }

func (v *view) keeps(file fileID) (bool, error) {
	if v.stat.pid == os.Getpid() {
		return v.holds(file)
	}
	return v.holdsBy(file, keepsFlock)
}

// holdsBy looks at the cheap things first, and asks a file system only about files that are locked at all: one that does
// not answer would keep us waiting.
func (v *view) holdsBy(file fileID, locked func(fdinfo []byte) bool) (bool, error) {
	descriptors, err := v.dir.numbers("fd")
	if err != nil {
		return false, err
	}
	for _, fd := range descriptors {
		holds, err := v.holdsThrough(strconv.Itoa(fd), file, locked)
		if unlessGone(err) != nil {
			return false, err
		}
		if holds {
			return true, nil
		}
	}
	return false, nil
}

// holdsThrough returns errGone when the descriptor was closed meanwhile.
func (v *view) holdsThrough(fd string, file fileID, locked func(fdinfo []byte) bool) (bool, error) {
	name, err := v.dir.link("fd/" + fd)
	if err != nil || isAnonymous(name) {
		return false, err
	}
	info, err := v.dir.read("fdinfo/" + fd)
	if err != nil || !locked(info) {
		return false, err
	}
	st, err := v.dir.stat("fd/" + fd)
	if err != nil {
		return false, err
	}
	return fileID{uint64(st.Dev), uint64(st.Ino)} == file, nil
}

// isAnonymous tells descriptors that have no file, by what the kernel prints in place of a path.
func isAnonymous(name string) bool {
	return strings.HasPrefix(name, "socket:[") || strings.HasPrefix(name, "pipe:[") || strings.HasPrefix(name, "anon_inode:")
}

// holdsFlock reports whether /proc/PID/fdinfo/N has a line of an exclusive flock, like
//
//	lock:	1: FLOCK  ADVISORY  WRITE 2706 fe:00:9977920 0 EOF
//
// The pid in it is that of the process which took the lock.
func holdsFlock(info []byte) bool {
	for line := range bytes.Lines(info) {
		fields := strings.Fields(string(line))
		if len(fields) > 4 && fields[0] == "lock:" && fields[2] == "FLOCK" && fields[4] == "WRITE" {
			return true
		}
	}
	return false
}

// keepsFlock reports whether it has such a line, and the descriptor outlives exec.
func keepsFlock(info []byte) bool { return holdsFlock(info) && !closesOnExec(info) }

// closesOnExec reads the line of /proc/PID/fdinfo/N that has a descriptor's flags in octal, like "flags:	02100002".
func closesOnExec(info []byte) bool {
	for line := range bytes.Lines(info) {
		if flags, ok := bytes.CutPrefix(line, []byte("flags:")); ok {
			n, err := strconv.ParseUint(string(bytes.TrimSpace(flags)), 8, 64)
			return err == nil && n&unix.O_CLOEXEC != 0
		}
	}
	return false
}
