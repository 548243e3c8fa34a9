//go:build linux

package supervise_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/supervise"
	"holdfast/internal/testkit"
)

// TestMain makes this binary a small `session run` when its first argument is
// "wrap": the second is the spec it follows.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "wrap" {
		var s spec
		if err := json.Unmarshal([]byte(os.Args[2]), &s); err != nil {
			panic(err)
		}
		os.Exit(wrap(s))
	}
	os.Setenv("SUPERVISE_TEST", "1") // marks what the tests start
	testkit.PrepareChildren()
	testkit.WaitTogether(8)
	os.Exit(m.Run())
}

// spec is what a wrapper under test is to do.
type spec struct {
	Argv       []string
	Dir        string           `json:",omitempty"`
	Linger     supervise.Linger `json:",omitempty"`
	Grace      time.Duration    `json:",omitempty"`
	Transcript string           `json:",omitempty"`
	Kin        string           `json:",omitempty"` // file to open as kin
	Pending    string           `json:",omitempty"` // pending while this file exists; "?" in it: cannot be asked
	LostOn     string           `json:",omitempty"` // ownership is lost when this FIFO is opened for writing
	WaitFirst  string           `json:",omitempty"` // wait before Run, interruptibly, for that of this FIFO
	Fresh      bool             `json:",omitempty"` // supervise from a fresh child if needed
	Report     string           `json:",omitempty"` // file that receives the report
}

// report is what a wrapper tells when Run has returned.
type report struct {
	Exit          supervise.Status
	Quiescent     bool
	Proof         string
	Survivors     []supervise.Process
	Ended         syscall.Signal
	Lost          bool
	TranscriptErr string
	PID           int
	Err           string
}

const (
	strandedCode = 83
	lostCode     = 81
)

func wrap(s spec) int {
	signals := supervise.Listen()
	if s.Fresh && supervise.NeedsFreshChild() {
		code, err := supervise.InFreshChild(signals)
		if err != nil {
			fmt.Fprintln(os.Stderr, "wrapper:", err)
			return 1
		}
		return code
	}
	result, err := supervised(s, signals)
	tell(s, result, err)
	return exitCode(result, err)
}

func supervised(s spec, signals *supervise.Signals) (supervise.Result, error) {
	ctx, stop := signals.Context(context.Background())
	if s.WaitFirst != "" {
		if err := waitFor(ctx, s.WaitFirst); err != nil {
			return supervise.Result{}, err
		}
	}
	stop()
	c := supervise.Command{
		Argv: s.Argv, Dir: s.Dir, Linger: s.Linger, Grace: s.Grace, Transcript: s.Transcript,
		Notice: func(format string, args ...any) { notice(s, fmt.Sprintf(format, args...)) },
	}
	if s.Kin != "" {
		c.Kin = openKin(s.Kin)
	}
	if s.Pending != "" {
		c.Pending = func() (string, error) { return pending(s.Pending) }
		c.Asks = "the runtime lives"
	}
	owned, lose := context.WithCancelCause(context.Background())
	defer lose(nil)
	if s.LostOn != "" {
		go func() {
			_ = waitFor(owned, s.LostOn)
			lose(errors.New("lost"))
		}()
	}
	return supervise.Run(owned, signals, c)
}

// notice keeps what could not be said in a file.
// notice writes as a wrapper must: to os.Stderr without a reader would end it.
func notice(s spec, line string) {
	if _, err := syscall.Write(2, []byte("wrapper: "+line+"\n")); err != nil {
		_ = os.WriteFile(s.Report+".unsaid", []byte(line), 0o600)
	}
}

// waitFor blocks until somebody opens the FIFO for writing, which cannot succeed
// before this process waits.
func waitFor(ctx context.Context, fifo string) error {
	opened := make(chan error, 1)
	go func() {
		f, err := os.Open(fifo)
		if err == nil {
			f.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// openKin opens the file as a lease does: locked, close-on-exec, at 100 or above.
func openKin(path string) *os.File {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 100)
	if err != nil {
		panic(err)
	}
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		panic(err)
	}
	return os.NewFile(uintptr(fd), path)
}

func pending(file string) (string, error) {
	content, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", nil
	case string(content) == "?":
		return "", errors.New("no answer")
	default:
		return "runtime " + string(content), err
	}
}

func tell(s spec, result supervise.Result, err error) {
	if s.Report == "" {
		return
	}
	r := report{
		Exit: result.Exit, Quiescent: result.Quiescent, Proof: result.Proof, Survivors: result.Survivors,
		Lost: result.Lost, PID: os.Getpid(),
	}
	r.Ended, _ = result.Ended.(syscall.Signal)
	if result.TranscriptErr != nil {
		r.TranscriptErr = result.TranscriptErr.Error()
	}
	if err != nil {
		r.Err = err.Error()
	}
	content, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(s.Report, content, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

func exitCode(result supervise.Result, err error) int {
	var interrupted *supervise.Interrupted
	switch {
	case errors.As(err, &interrupted):
		return 128 + int(interrupted.Signal)
	case errors.Is(err, supervise.ErrNotFound):
		return 127
	case errors.Is(err, supervise.ErrNotExecutable):
		return 126
	case err != nil:
		return 1
	case result.Lost:
		return lostCode
	case !result.Quiescent:
		return strandedCode
	default:
		return result.Exit.ExitCode()
	}
}
