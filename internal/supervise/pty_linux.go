package supervise

import (
	"os"

	"golang.org/x/sys/unix"
)

// openPty returns our end and CMD's of a pty that is set like the terminal with
// the descriptor like, but changes nothing of what is written to it: the real
// terminal does that.
func openPty(like int) (ours, theirs *os.File, err error) {
	master, err := retryInt(func() (int, error) {
		return unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return nil, nil, &os.PathError{Op: "open", Path: "/dev/ptmx", Err: err}
	}
	slave, err := openSlave(master)
	if err == nil {
		err = imitate(slave, like)
	}
	if err != nil {
		unix.Close(master)
		return nil, nil, os.NewSyscallError("pty", err)
	}
	return os.NewFile(uintptr(master), "ptmx"), os.NewFile(uintptr(slave), "pts"), nil
}

// openSlave goes by descriptor and not by name, since /dev/pts may be another
// mount than the one of ptmx.
func openSlave(master int) (int, error) {
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		return -1, err
	}
	return retryInt(func() (int, error) {
		const flags = unix.O_RDWR | unix.O_NOCTTY | unix.O_CLOEXEC
		fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER, flags)
		if errno != 0 {
			return -1, errno
		}
		return int(fd), nil
	})
}

func imitate(slave, like int) error {
	modes, err := unix.IoctlGetTermios(like, unix.TCGETS)
	if err != nil {
		return err
	}
	modes.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(slave, unix.TCSETS, modes); err != nil {
		return err
	}
	copySize(slave, like)
	return nil
}
