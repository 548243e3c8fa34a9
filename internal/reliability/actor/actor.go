// Package actor lets a test binary, or a command of this tree, start itself as the real
// command, or in another role of a lane.
//
// The main goroutine of an actor stays on the main thread, which is the one that
// strace follows, so that every call of a store has a number that is the same in every
// run.
package actor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"holdfast/internal/cli"
)

// variable marks a process that is an actor, and says in which role.
const variable = "HOLDFAST_RELIABILITY_ACTOR"

// Session is the role of the real command.
const Session = "session"

// roles are what an actor can be; each returns its exit code.
var roles = map[string]func() int{
	Session: func() int { return cli.Main(os.Args) },
}

// Register adds a role, from an init function.
func Register(role string, run func() int) { roles[role] = run }

func init() {
	if os.Getenv(variable) != "" {
		runtime.LockOSThread()
	}
}

// Main is to be called first by whoever starts actors. In an actor it plays the role
// and ends the process. So does a role that this binary does not know, as when it was
// replaced under a running lane: falling through would start the lanes again.
func Main() {
	role := os.Getenv(variable)
	if role == "" {
		return
	}
	run := roles[role]
	if run == nil {
		fmt.Fprintf(os.Stderr, "this binary has no role %q: was it replaced while it ran?\n", role)
		os.Exit(unknownRole)
	}
	os.Exit(run())
}

// unknownRole is an exit code that nothing else has.
const unknownRole = 99

// Command is the real command with arguments, on a store.
func Command(ctx context.Context, store string, args ...string) *exec.Cmd {
	return Under(ctx, nil, store, args...)
}

// Under is the real command, started by another program that takes a command line,
// like strace.
func Under(ctx context.Context, program []string, store string, args ...string) *exec.Cmd {
	return As(ctx, Session, program, store, args...)
}

// As is an actor in a role that has a store, started by another program unless there is
// none.
func As(ctx context.Context, role string, program []string, store string, args ...string) *exec.Cmd {
	cmd := Role(ctx, program, role, args...)
	cmd.Env = append(cmd.Env, "HOLDFAST_STORE="+store)
	return cmd
}

// Role is an actor in a role, started by another program unless there is none.
func Role(ctx context.Context, program []string, role string, args ...string) *exec.Cmd {
	words := append(append(program[:len(program):len(program)], self()), args...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env = Environment(role)
	return cmd
}

// Host is an actor in a role that has all of our environment, for one that starts programs of this machine. It calls
// [Forget] first, or they would be actors too.
func Host(ctx context.Context, role string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, self(), args...)
	cmd.Env = append(os.Environ(), variable+"="+role)
	return cmd
}

// Forget takes the role out of the environment of what is started from now on.
func Forget() { os.Unsetenv(variable) }

// Environment makes this binary, or a copy of it, an actor. It has nothing of whoever
// runs it, but where programs are.
func Environment(role string) []string {
	return []string{
		variable + "=" + role, "PATH=" + os.Getenv("PATH"), "HOME=/", "GORACE=atexit_sleep_ms=0", "LC_ALL=C", "SHELL=/bin/sh",
	}
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
