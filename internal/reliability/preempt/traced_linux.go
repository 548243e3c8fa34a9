//go:build amd64 || arm64

package preempt

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/lab"
)

// traced is a process whose main thread this thread traces, call by call. Its owner is
// locked to its thread.
type traced struct {
	pid    int
	itself *os.Process // the same, which no later process of its number is
	guard  *time.Timer // kills it if it hangs
	call   call        // that it is in
	status syscall.WaitStatus
}

// trace starts a command whose role begins with [allowTracing].
func trace(cmd *exec.Cmd, stderr *os.File) (*traced, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	pid, err := syscall.ForkExec(cmd.Path, cmd.Args, &syscall.ProcAttr{
		Env: cmd.Env, Files: []uintptr{null.Fd(), null.Fd(), stderr.Fd()},
	})
	if err != nil {
		return nil, err
	}
	itself, err := os.FindProcess(pid)
	if err != nil {
		return nil, err
	}
	v := &traced{pid: pid, itself: itself, guard: time.AfterFunc(lab.Patience, func() { _ = itself.Kill() })}
	if err := v.begin(); err != nil {
		return nil, v.end(err)
	}
	if err := syscall.PtraceSetOptions(pid, syscall.PTRACE_O_TRACESYSGOOD); err != nil {
		return nil, v.end(os.NewSyscallError("ptrace", err))
	}
	return v, nil
}

// begin waits until the process stops itself. The language's runtime may have signalled
// it before.
func (v *traced) begin() error {
	for {
		if err := v.wait(0); err != nil {
			return err
		}
		if !v.status.Stopped() {
			return fmt.Errorf("ends at its beginning: %v", v.status)
		}
		if v.status.StopSignal() == unix.SIGSTOP {
			return nil
		}
		if err := syscall.PtraceCont(v.pid, int(v.status.StopSignal())); err != nil {
			return os.NewSyscallError("ptrace", err)
		}
	}
}

// allowTracing makes this process's parent the tracer of this thread, and stops until
// the tracer goes on.
func allowTracing() error {
	if _, _, errno := unix.RawSyscall(unix.SYS_PTRACE, unix.PTRACE_TRACEME, 0, 0); errno != 0 {
		return os.NewSyscallError("ptrace", errno)
	}
	return unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGSTOP)
}

func (v *traced) wait(options int) error {
	for {
		_, err := syscall.Wait4(v.pid, &v.status, options|syscall.WALL, nil)
		if !errors.Is(err, syscall.EINTR) {
			return os.NewSyscallError("wait4", err)
		}
	}
}

func (v *traced) ended() bool { return v.status.Exited() || v.status.Signaled() }

// aStop is how a stop at a call looks.
const aStop = unix.SIGTRAP | 0x80

// next goes on until the next call was made, and returns it. It returns false if the
// process ended instead.
func (v *traced) next() (made call, more bool, err error) {
	for deliver := 0; ; {
		if err := syscall.PtraceSyscall(v.pid, deliver); err != nil {
			return call{}, false, os.NewSyscallError("ptrace", err)
		}
		if err := v.wait(0); err != nil || v.ended() {
			return call{}, false, err
		}
		if deliver = 0; v.status.StopSignal() != aStop {
			deliver = int(v.status.StopSignal())
			continue
		}
		made, err := v.step()
		if err != nil || made {
			return v.call, err == nil, err
		}
	}
}

// callInfo is the beginning of the kernel's struct ptrace_syscall_info.
type callInfo struct {
	op     uint8
	_      [3]uint8
	arch   uint32
	ip, sp uint64
	number uint64
	args   [6]uint64
	_      uint64
}

// What a call's stop is about.
const (
	enters = 1
	leaves = 2
)

// step reports whether a call was made, as opposed to being about to be made.
func (v *traced) step() (made bool, err error) {
	var i callInfo
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(v.pid), unsafe.Sizeof(i), uintptr(unsafe.Pointer(&i)), 0, 0)
	if errno != 0 {
		return false, os.NewSyscallError("ptrace", errno)
	}
	if i.op == enters {
		v.call = call{i.number, v.about(int32(i.args[0]), uintptr(i.args[1]))}
	}
	return i.op == leaves, nil
}

// about returns the path of what a call is about that takes a descriptor, or the working
// directory and a path; "" where it is neither, or a standard stream.
func (v *traced) about(fd int32, name uintptr) string {
	if fd == unix.AT_FDCWD {
		return v.stringAt(name)
	}
	if fd <= 2 {
		return ""
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", v.pid, fd))
	if err != nil {
		return ""
	}
	return path
}

// longest is longer than the path of any store of a lane.
const longest = 256

func (v *traced) stringAt(address uintptr) string {
	b := make([]byte, longest)
	n, err := syscall.PtracePeekData(v.pid, address, b)
	if err != nil {
		return ""
	}
	s, _, _ := strings.Cut(string(b[:n]), "\x00")
	return s
}

// halt stops all of the process, and traces it no more.
func (v *traced) halt() error {
	if err := unix.Kill(v.pid, unix.SIGSTOP); err != nil {
		return err
	}
	if err := v.release(); err != nil {
		return err
	}
	if err := v.wait(syscall.WUNTRACED); err != nil {
		return err
	}
	if !v.status.Stopped() {
		return fmt.Errorf("does not stop: %v", v.status)
	}
	return nil
}

// release traces it no more.
func (v *traced) release() error { return os.NewSyscallError("ptrace", syscall.PtraceDetach(v.pid)) }

// goOn lets a process that was halted or released go on to its end.
func (v *traced) goOn() error {
	if err := unix.Kill(v.pid, unix.SIGCONT); err != nil {
		return err
	}
	return v.wait(0)
}

// exit is the exit code of a process that has ended, -1 if it was killed.
func (v *traced) exit() int {
	v.forget()
	return v.status.ExitStatus()
}

func (v *traced) forget() {
	v.guard.Stop()
	_ = v.itself.Release()
}

// end ends a process that cannot go on.
func (v *traced) end(why error) error {
	defer v.forget()
	if v.ended() {
		return why
	}
	return errors.Join(why, unix.Kill(v.pid, unix.SIGKILL), v.wait(0))
}
