package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) demoCommand() *urfave.Command {
	return &urfave.Command{
		Action: v.demo,
	}
}

const demoKey = "demo/web"

// demo plays the journey with real processes. Each line that it shows as typed is
// run as it stands.
func (v *invocation) demo(ctx context.Context, c *urfave.Command) error {
	if _, err := positional(c); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir, err := os.MkdirTemp("", "session-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s := &stage{invocation: v, self: self, dir: dir}
	defer s.clear()
	if err := s.play(ctx); err != nil {
		return fmt.Errorf("the demo did not go as it should: %w", err)
	}
	return nil
}

// stage is where the demo plays: a store of its own, and what was started in it.
type stage struct {
	*invocation
	self string
	dir  string

	host     *exec.Cmd // the wrapper that is going to crash
	survivor int       // pid of what it leaves behind
}

func (s *stage) play(ctx context.Context) error {
	for _, act := range []func(context.Context) error{s.own, s.refuse, s.crash, s.recover, s.goOn} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	s.say("That was everything. Put `session run KEY --` before a command of your own; the demo's store is gone.")
	return nil
}

func (s *stage) own(ctx context.Context) error {
	s.say("1. A host owns a session while its agent works. The agent here is a sleep.")
	argv := []string{"run", "--no-worktree", "--note", "refactoring", demoKey, "--", "sleep", "300"}
	s.prompt(argv, " &")
	s.host = s.command(context.WithoutCancel(ctx), argv) // ended by clear, never by KILL alone
	if err := s.host.Start(); err != nil {
		return err
	}
	_, err := s.await(ctx, ownership.StateHeld)
	return err
}

func (s *stage) refuse(ctx context.Context) error {
	s.say("2. Another host wants the same session. It is told who has it, and nothing changes.")
	return s.run(ctx, codeOf(ownership.ReasonActiveOwner), "run", "--no-worktree", demoKey, "--", "echo", "never", "printed")
}

func (s *stage) crash(ctx context.Context) error {
	s.say("3. The first host is killed (kill -9). Its agent lives on, so the session is still held, and inspect says by whom.")
	if err := s.host.Process.Kill(); err != nil {
		return err
	}
	_ = s.host.Wait() // killed: there is nothing else to learn
	i, err := s.await(ctx, ownership.StateHeld)
	if err != nil {
		return err
	}
	if len(i.Liveness.Holders) == 0 {
		return errors.New("nobody was seen to hold the kin lock")
	}
	s.survivor = i.Liveness.Holders[0].PID
	if err := s.run(ctx, 0, "inspect", demoKey); err != nil {
		return err
	}
	s.say("4. The agent dies too. Nobody acknowledged that the work had stopped: the session is stranded, and stays so.")
	if err := syscall.Kill(s.survivor, syscall.SIGKILL); err != nil {
		return err
	}
	if _, err := s.await(ctx, ownership.StateStranded); err != nil {
		return err
	}
	s.survivor = 0
	return s.run(ctx, codeOf(ownership.ReasonRecoveryRequired), "run", "--no-worktree", demoKey, "--", "echo", "never", "printed")
}

func (s *stage) recover(ctx context.Context) error {
	i, err := s.await(ctx, ownership.StateStranded)
	if err != nil {
		return err
	}
	s.say("5. A person looks, and then frees exactly the revision that was looked at.")
	argv := []string{"recover", demoKey, "--expect", i.Revision.String()}
	if err := s.run(ctx, codeOf(ownership.ReasonForceRequired), argv...); err != nil {
		return err
	}
	return s.run(ctx, 0, append(argv, "--force", "--reason", "the host was killed")...)
}

func (s *stage) goOn(ctx context.Context) error {
	s.say("6. The next host goes on, under a generation that nobody had before.")
	return s.run(ctx, 0, "run", "--no-worktree", demoKey, "--", "sh", "-c", "echo working in generation $SESSION_GENERATION")
}

// run shows a command, runs it and wants its exit code.
func (s *stage) run(ctx context.Context, want int, argv ...string) error {
	s.prompt(argv, "")
	c := s.command(ctx, argv)
	err := c.Run()
	if got := c.ProcessState.ExitCode(); got != want {
		return errors.Join(fmt.Errorf("exit code %d, not %d, from: session %s", got, want, shellCommand(argv)), err)
	}
	s.say("(exit code %d)", want)
	return nil
}

// command is one of ours in the demo's store, which its printed commands find without
// an option.
func (s *stage) command(ctx context.Context, argv []string) *exec.Cmd {
	c := exec.CommandContext(ctx, s.self, argv...)
	c.Env = append(withoutStore(os.Environ()), "XDG_STATE_HOME="+s.dir)
	c.Stdout, c.Stderr = s.stdout.file, s.stdout.file
	return c
}

func withoutStore(env []string) []string {
	var kept []string
	for _, entry := range env {
		if !strings.HasPrefix(entry, "HOLDFAST_STORE=") {
			kept = append(kept, entry)
		}
	}
	return kept
}

// await looks until the session is in a state: that takes as long as it takes the
// kernel to end a process.
func (s *stage) await(ctx context.Context, want ownership.State) (lease.Inspection, error) {
	deadline := time.Now().Add(30 * time.Second)
	for {
		i, err := s.look(ctx)
		if err != nil || i.State == want && !s.hostWasKilled(i) {
			return i, err
		}
		if time.Now().After(deadline) {
			return i, fmt.Errorf("the session is %s, not %s", i.State, want)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// hostWasKilled reports whether a look was too early: it still shows the killed host.
func (s *stage) hostWasKilled(i lease.Inspection) bool {
	if s.host.ProcessState == nil || i.Liveness == nil {
		return false
	}
	for _, p := range i.Liveness.Holders {
		if p.PID == s.host.Process.Pid {
			return true
		}
	}
	return false
}

func (s *stage) look(ctx context.Context) (i lease.Inspection, err error) {
	c := s.command(ctx, []string{"inspect", demoKey, "--json"})
	c.Stdout, c.Stderr = nil, nil
	out, err := c.Output()
	if err != nil {
		return i, err
	}
	return i, json.Unmarshal(out, &i)
}

// clear ends what the demo started and did not end itself.
func (s *stage) clear() {
	if s.host != nil && s.host.Process != nil && s.host.ProcessState == nil {
		_ = s.host.Process.Signal(syscall.SIGTERM) // ends the agent as well
		_ = s.host.Wait()
	}
	if s.survivor != 0 {
		_ = syscall.Kill(s.survivor, syscall.SIGKILL)
	}
}

func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(&s.stdout, "\n%s\n", fmt.Sprintf(format, args...))
}

func (s *stage) prompt(argv []string, end string) {
	fmt.Fprintf(&s.stdout, "\n$ session %s%s\n", shellCommand(argv), end)
}
