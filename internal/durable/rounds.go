package durable

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// few is how many wait for the disk each by itself, before those that come share a wait.
const few = 4

// longRound is what a round of ours never takes: it waited for what others wrote, and
// from then on each of ours waits for its own again.
const longRound = 250 * time.Millisecond

// Rounds has many publishes to one file system wait for the disk together: one round makes
// everything durable that was written before it began, for all who asked before it began.
// An error of a round is everybody's who waited for it. Those that ask while only a few
// wait, wait for their own file alone, as if there were no rounds.
//
// Where a file system or its kernel is not known to make all durable in one call, and to
// tell every error of it, there are no rounds.
type Rounds struct {
	fd      int // of a directory, opened before anything was written: errors are told since then
	device  uint64
	whole   func() error // makes all durable that was written to the file system
	longest time.Duration

	mu      sync.Mutex
	alone   int    // wait for their own file
	next    *round // that has not begun; nil where nobody waits for one
	running bool
	over    bool // nobody is to share a wait any more
}

// round is one wait of many.
type round struct {
	done chan struct{}
	// Valid after done: what became of it, or that each is to wait for its own file.
	err   error
	alone bool
}

// OpenRounds returns the rounds of the file system that a directory is on, or nil.
func OpenRounds(path string) *Rounds {
	fd, err := OpenDirAt(unix.AT_FDCWD, path)
	if err != nil {
		return nil
	}
	e, err := Fstat(fd)
	if err != nil || !syncsAsAWhole(fd) {
		unix.Close(fd)
		return nil
	}
	whole := func() error { return syncFileSystem(fd) }
	return &Rounds{fd: fd, device: e.ID.Device, whole: whole, longest: longRound}
}

// Close ends the rounds, after the last publish.
func (r *Rounds) Close() error { return unix.Close(r.fd) }

// sync returns when what was written before is durable. Own makes durable one file alone.
func (r *Rounds) sync(own func() error) error {
	shared := r.join()
	if shared == nil {
		defer r.leave()
		return own()
	}
	<-shared.done
	if shared.alone {
		return own()
	}
	return shared.err
}

// join returns the next round, or nil where there is none to wait for. A round that is
// under way began before, and may have passed over what was written since.
func (r *Rounds) join() *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over || !r.running && r.alone < few {
		r.alone++
		return nil
	}
	if r.next == nil {
		r.next = &round{done: make(chan struct{})}
	}
	if !r.running {
		r.running = true
		go r.run()
	}
	return r.next
}

func (r *Rounds) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alone--
}

// run runs one round after the other for as long as somebody waits for the next.
func (r *Rounds) run() {
	for this := r.begin(); this != nil; this = r.begin() {
		if !this.alone {
			r.do(this)
		}
		close(this.done)
	}
}

// begin returns the round to run, which nobody joins any more.
func (r *Rounds) begin() *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	this := r.next
	r.next, r.running = nil, this != nil
	if this != nil {
		this.alone = r.over
	}
	return this
}

// do makes everything durable. An error is told once: what was written by those who did
// not wait for it may be what failed, so that each of them asks for its own file.
func (r *Rounds) do(this *round) {
	began := time.Now()
	this.err = r.whole()
	this.alone = errors.Is(this.err, errors.ErrUnsupported) || errors.Is(this.err, unix.EPERM) // in a sandbox
	if this.err != nil || time.Since(began) > r.longest {
		r.mu.Lock()
		r.over = true
		r.mu.Unlock()
	}
}

// Dir returns a directory whose waits are shared, or d where that is on another file
// system.
func (r *Rounds) Dir(d Dir) Dir {
	e, err := Fstat(Descriptor(d))
	if err != nil || e.ID.Device != r.device {
		return d
	}
	return &sharingDir{d, r}
}

// syncFileSystem makes durable what was written to a file system. Without a journal, ext4
// writes the last of what it knows of files after it has flushed the disk: the second call
// flushes once more.
func syncFileSystem(fd int) error {
	if err := Retry(func() error { return syncfs(fd) }); err != nil {
		return os.NewSyscallError("syncfs", err)
	}
	return os.NewSyscallError("fsync", syncDir(fd))
}
