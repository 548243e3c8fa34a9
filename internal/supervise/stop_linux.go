package supervise

import (
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// catchStops makes TSTP arrive in other instead of stopping the wrapper, which
// then stops if and when CMD does: CMD may ignore it or have to restore the
// terminal first.
func (s *Signals) catchStops() {
	if !ignored(unix.SIGTSTP) {
		s.catcher.Catch(unix.SIGTSTP)
	}
}

// stopSelf takes the default action of a stop signal, and returns when this
// process has been continued: at once where the kernel does not stop it, as in a
// group that no shell watches.
//
// os/signal cannot give TSTP its default back (after Reset Go's handler stays and
// drops it), so the kernel is asked directly. The signal goes to this very
// thread, which makes it take effect before the call returns.
func stopSelf(sig syscall.Signal) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var byDefault, ours disposition
	if sig == unix.SIGTSTP && sigaction(sig, &byDefault, &ours) == nil {
		defer sigaction(sig, &ours, nil)
	}
	_ = unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
}

// ignored says whether sig is ignored. os/signal knows it of HUP and INT only.
func ignored(sig syscall.Signal) bool {
	const ignore = 1 // SIG_IGN, in the first word
	var now disposition
	return sigaction(sig, nil, &now) == nil && uintptr(now[0]) == ignore
}

// disposition has room for the kernel's struct sigaction, whose layout differs
// between architectures. All zero is the default action everywhere.
type disposition [16]uint64

// signalSetBytes is the size of the kernel's signal set.
const signalSetBytes = 8

func sigaction(sig syscall.Signal, set, old *disposition) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), signalSetBytes, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
