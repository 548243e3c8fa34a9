package sigcatch

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A process has one table of signal handlers, so the handler's variables are the
// process's.
var (
	taken  atomic.Bool
	wakeFD int32              // an eventfd
	one    = uint64(1)        // what is written to it
	counts [lastSignal]uint32 // by signal: how often it arrived and was not delivered
)

// lastSignal is one more than the largest signal there is.
const lastSignal = 65

// onSignal counts its signal and adds one to wakeFD. It is called by the kernel, on
// whatever thread, and uses neither a stack nor anything of Go's.
func onSignal()

// leave returns from a signal, as the kernel wants it from whoever brings no libc.
func leave()

// entries are the addresses of onSignal and leave.
func entries() (handler, restorer uintptr)

// handler delivers what onSignal counted.
type handler struct {
	wake    *os.File
	blocked unix.Sigset_t // on every thread, as whoever started the process has left it
	deliver func(syscall.Signal)
	telling sync.Mutex // held from a count's end to its delivery: who comes after has it all
}

// newHandler returns nil where the process has a handler, or can have none.
func newHandler(deliver func(syscall.Signal)) *handler {
	h := &handler{deliver: deliver}
	if unix.PthreadSigmask(unix.SIG_BLOCK, nil, &h.blocked) != nil {
		return nil
	}
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil
	}
	if !roomAbove(fd) {
		unix.Close(fd)
		return nil
	}
	h.wake = os.NewFile(uintptr(fd), "signals")
	if h.wake.SetReadDeadline(time.Time{}) != nil || taken.Swap(true) { // nothing would wait for it
		h.wake.Close()
		return nil
	}
	wakeFD = int32(fd)
	go h.loop()
	return h
}

// roomAbove reports whether there may be some descriptors more: Go's runtime ends a process
// that has none left for what it waits with.
func roomAbove(fd int) bool {
	const some = 16
	var limit syscall.Rlimit
	return syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && limit.Cur > uint64(fd+some)
}

// catch says whether onSignal is called for sig from here on.
func (h *handler) catch(sig syscall.Signal) bool {
	if h.blocked.Val[0]>>(sig-1)&1 != 0 { // the first word has them all
		return false
	}
	const siginfo, restorer, onStack, restart = 0x4, 0x04000000, 0x08000000, 0x10000000
	action := struct {
		handler, flags, restorer uintptr
		mask                     uint64
	}{flags: siginfo | restorer | onStack | restart, mask: ^uint64(0)}
	action.handler, action.restorer = entries()
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, unsafe.Sizeof(action.mask), 0, 0)
	return errno == 0
}

func (h *handler) loop() {
	var times [8]byte
	for {
		if _, err := h.wake.Read(times[:]); err == nil {
			h.tell()
		}
	}
}

func (h *handler) tell() {
	h.telling.Lock()
	defer h.telling.Unlock()
	for sig := range syscall.Signal(lastSignal) {
		if sig != syscall.SIGCHLD {
			h.tellOf(sig)
		}
	}
	h.tellOf(syscall.SIGCHLD)
}

func (h *handler) tellOf(sig syscall.Signal) {
	for range atomic.SwapUint32(&counts[sig], 0) {
		h.deliver(sig)
	}
}
