// Package actor lets a test binary, or a command of this tree, start itself as the real
// command.
//
// The main goroutine of an actor stays on the main thread, which is the one that
// strace follows, so that every call of a store has a number that is the same in every
// run.
package actor

import (
	"context"
	"os"
	"os/exec"
	"runtime"

	"holdfast/internal/cli"
)

// variable marks a process that is an actor.
const variable = "HOLDFAST_RELIABILITY_ACTOR"

func init() {
	if os.Getenv(variable) != "" {
		runtime.LockOSThread()
	}
}

// Main is to be called first by whoever starts actors. In an actor it runs the command
// and ends the process.
func Main() {
	if os.Getenv(variable) != "" {
		os.Exit(cli.Main(os.Args))
	}
}

// Command is the real command with arguments, on a store.
func Command(ctx context.Context, store string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, self(), args...)
	cmd.Env = Env(store)
	return cmd
}

// Under is the real command, started by another program that takes a command line,
// like strace.
func Under(ctx context.Context, program []string, store string, args ...string) *exec.Cmd {
	words := append(append(program[1:len(program):len(program)], self()), args...)
	cmd := exec.CommandContext(ctx, program[0], words...)
	cmd.Env = Env(store)
	return cmd
}

// Env is the environment of an actor: nothing of whoever runs it, but where programs
// are.
func Env(store string) []string {
	return []string{
		variable + "=1", "HOLDFAST_STORE=" + store, "PATH=" + os.Getenv("PATH"), "HOME=/",
		"GORACE=atexit_sleep_ms=0", "LC_ALL=C", "SHELL=/bin/sh",
	}
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
