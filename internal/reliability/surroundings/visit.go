package surroundings

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
)

// visit is one surrounding being tried.
type visit struct {
	ctx    context.Context
	plan   lab.Plan
	report *lab.Report
	where  string
	dir    string
	binary string
	undo   []func()
}

func (v *visit) fault(format string, args ...any) {
	v.report.Fault(v.where, fmt.Sprintf(format, args...))
}

// must reports whether there is no error, and notes one.
func (v *visit) must(err error) bool {
	if err != nil {
		v.fault("%v", err)
	}
	return err == nil
}

func (v *visit) leave() {
	for _, undo := range slices.Backward(v.undo) {
		undo()
	}
}

func (v *visit) later(undo func()) { v.undo = append(v.undo, undo) }

func (v *visit) store() string { return filepath.Join(v.dir, "store") }

// answer is what a command said.
type answer struct {
	exit   int
	stdout string
	stderr string
}

// command is the real command on the visit's store, started by another program.
func (v *visit) command(ctx context.Context, program []string, args ...string) *exec.Cmd {
	words := append(append(program[:len(program):len(program)], v.binary), args...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = append(actor.Environment(actor.Session), "HOLDFAST_STORE="+v.store())
	return cmd
}

// longest is how long a command may take that has nobody to wait for.
const longest = 20 * time.Second

func (v *visit) under(program []string, args ...string) answer {
	ctx, stop := context.WithTimeout(v.ctx, longest)
	defer stop()
	cmd := v.command(ctx, program, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.WaitDelay = time.Second
	_ = cmd.Run()
	v.report.Count("commands", 1)
	if ctx.Err() != nil {
		v.fault("%q hangs", args)
	}
	return answer{cmd.ProcessState.ExitCode(), out.String(), said.String()}
}

func (v *visit) run(args ...string) answer { return v.under(nil, args...) }

// expect runs a command that has to end with one of some exit codes.
func (v *visit) expect(codes []int, program []string, args ...string) answer {
	a := v.under(program, args...)
	if !slices.Contains(codes, a.exit) {
		v.fault("%q ends with %d and not %v: %s", args, a.exit, codes, a.stderr)
	}
	return a
}

// state returns the state that inspect shows, and the revision.
func (v *visit) state(program []string) (state, revision string) {
	a := v.expect([]int{0}, program, "inspect", lab.Key, "--json")
	var seen struct{ State, Revision string }
	if json.Unmarshal([]byte(a.stdout), &seen) != nil {
		v.fault("inspect says %q", a.stdout)
	}
	return seen.State, seen.Revision
}

func (v *visit) expectState(want ...string) (revision string) {
	state, revision := v.state(nil)
	if !slices.Contains(want, state) {
		v.fault("the session is %s and not %v", state, want)
	}
	return revision
}

// acquireAndRelease is a command line that does only that.
var acquireAndRelease = []string{"run", "--no-worktree", lab.Key, "--", "true"}

func (v *visit) sound() {
	for _, violation := range check.Store(v.store(), check.History{lab.Digest: {Unanswered: 1000}}) {
		v.fault("%v", violation)
	}
}

// owner is a live owner of the session.
type owner struct {
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr *bytes.Buffer
}

// own starts an owner, which releases once its input ends.
func (v *visit) own(program []string) *owner {
	ctx, stop := context.WithTimeout(v.ctx, lab.Patience)
	v.later(stop)
	cmd := v.command(ctx, program, "run", "--no-worktree", lab.Key, "--", "sh", "-c", "echo ready; read x; exit 0")
	o := &owner{cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr, cmd.WaitDelay = o.stderr, time.Second
	stdin, err := cmd.StdinPipe()
	if !v.must(err) {
		return nil
	}
	o.stdin = stdin
	out, err := cmd.StdoutPipe()
	if !v.must(err) || !v.must(cmd.Start()) {
		return nil
	}
	v.report.Count("commands", 1)
	v.later(func() { _ = cmd.Process.Kill(); o.end() })
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		o.end()
		v.fault("the owner did not begin: %v: %s", err, o.stderr)
		return nil
	}
	return o
}

// end lets the owner release, and returns its exit code.
func (o *owner) end() int {
	o.stdin.Close()
	_ = o.cmd.Wait() // again is an error that does not matter
	return o.cmd.ProcessState.ExitCode()
}
