package supervise

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// scriptShell runs files without a #! line, as execvp(3) and every shell do.
const scriptShell = "/bin/sh"

// start forks and executes c with the given stdin, stdout and stderr, and returns
// its pid. Every other descriptor that is not close-on-exec passes through.
//
// Kin is inheritable from here until start returns; nothing else in the process
// may fork meanwhile.
func start(c *Command, files []uintptr, ownGroup bool) (pid int, err error) {
	path, err := lookup(c.Argv[0], searchPath(c.Env), c.Dir)
	if err != nil {
		return 0, err
	}
	if c.Kin != nil {
		if _, err := unix.FcntlInt(c.Kin.Fd(), unix.F_SETFD, 0); err != nil {
			return 0, fmt.Errorf("kin descriptor: %w", err)
		}
		defer unix.CloseOnExec(int(c.Kin.Fd()))
	}
	attr := &syscall.ProcAttr{Dir: c.Dir, Env: c.Env, Files: files, Sys: &syscall.SysProcAttr{Setpgid: ownGroup}}
	pid, err = syscall.ForkExec(path, c.Argv, attr)
	if errors.Is(err, syscall.ENOEXEC) && isText(path, c.Dir) {
		pid, err = syscall.ForkExec(scriptShell, scriptArgv(path, c.Argv), attr)
	}
	if err != nil {
		return 0, startError(path, err)
	}
	return pid, nil
}

// checked returns c with its defaults filled in, or why it cannot be started.
func (c Command) checked() (*Command, error) {
	if len(c.Argv) == 0 {
		return nil, fmt.Errorf("no command given: %w", ErrNotFound)
	}
	if c.Dir != "" {
		info, err := os.Stat(c.Dir)
		if err == nil && !info.IsDir() {
			err = &os.PathError{Op: "chdir", Path: c.Dir, Err: syscall.ENOTDIR}
		}
		if err != nil {
			return nil, err
		}
	}
	if c.Env == nil {
		c.Env = os.Environ()
	}
	c.Env = withoutMarker(c.Env)
	return &c, nil
}

func scriptArgv(path string, argv []string) []string {
	if strings.HasPrefix(path, "-") {
		path = "./" + path // not an option of the shell
	}
	return append([]string{scriptShell, path}, argv[1:]...)
}

// startError tells what a shell calls 127 and 126 from a machine that has no
// process or memory left, which says nothing about the command.
func startError(path string, err error) error {
	switch {
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM),
		errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("start %q: %w", path, err)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("%q or its interpreter: %w", path, ErrNotFound)
	default:
		return fmt.Errorf("%q: %w: %w", path, ErrNotExecutable, err)
	}
}
