package linear

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"holdfast/internal/reliability/actor"
)

// client is somebody who does one thing after the other.
type client struct {
	*episode
	id     int
	chance *rand.Rand
}

// attempts numbers every owner of this process.
var attempts atomic.Int64

// turn does one thing to one session.
func (c *client) turn(ctx context.Context) error {
	s := c.sessions[c.chance.IntN(len(c.sessions))]
	switch n := c.chance.IntN(10); {
	case n < 7:
		return c.own(ctx, s)
	case n < 9:
		return c.recover(ctx, s)
	default:
		return c.inspect(ctx, s)
	}
}

// held is what an owned command says of itself, and then waits for its input to end.
const held = `echo $SESSION_GENERATION $SESSION_REVISION; read x; exit 0`

// own acquires a session and releases it, or is killed at a moment that chance decides.
func (c *client) own(ctx context.Context, s *session) error {
	owner := fmt.Sprintf("c%d", attempts.Add(1))
	cmd := actor.Command(ctx, c.store, "run", "--json", "--no-worktree", "--kind", owner, s.key, "--", "sh", "-c", held)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd.Stdout = write
	began := c.now()
	if err := cmd.Start(); err != nil {
		return err
	}
	c.report.Count("processes", 1)
	write.Close()
	early := c.chance.IntN(4) == 0
	if early {
		c.killAfter(cmd, owner, s, c.moment(8*time.Millisecond))
	}
	said := bufio.NewReader(read)
	line, _ := said.ReadString('\n')
	o := ownership{client: c, session: s, cmd: cmd, owner: owner, began: began, told: line, stdin: stdin, rest: said, stderr: &stderr}
	switch {
	case line != "" && !early && c.chance.IntN(4) == 0:
		time.Sleep(c.moment(2 * time.Millisecond))
		c.killAfter(cmd, owner, s, 0)
		return o.died()
	case early:
		return o.died()
	case line == "":
		return o.refused()
	}
	return o.release()
}

func (c *client) moment(most time.Duration) time.Duration {
	return time.Duration(c.chance.Int64N(int64(most)))
}

// killAfter kills the owner, not what it started.
func (c *client) killAfter(cmd *exec.Cmd, owner string, s *session, wait time.Duration) {
	time.Sleep(wait)
	at := c.now()
	_ = cmd.Process.Kill() // it may have ended by itself
	c.report.Count("kills", 1)
	s.note(c.id, at, at+1, event{deed: killed, owner: owner})
}

// ownership is one attempt to own.
type ownership struct {
	*client
	session *session
	cmd     *exec.Cmd
	owner   string
	began   int64
	told    string // what the owned command said
	stdin   io.Closer
	rest    io.Reader
	stderr  *bytes.Buffer
}

// release lets the owned command end, and waits for the acknowledgement.
func (o ownership) release() error {
	if err := o.noteAcquired(); err != nil {
		return err
	}
	at := o.now()
	o.stdin.Close()
	_, _ = io.Copy(io.Discard, o.rest)
	if err := o.cmd.Wait(); err != nil {
		return fmt.Errorf("%s could not release: %w: %s", o.owner, err, o.stderr)
	}
	o.session.later(o.id, at, o.now(), o.owner, released)
	o.report.Count("released", 1)
	return nil
}

func (o ownership) noteAcquired() error {
	e := event{deed: acquired, owner: o.owner}
	if _, err := fmt.Sscan(o.told, &e.generation, &e.revision); err != nil {
		return fmt.Errorf("%s says %q: %w", o.owner, o.told, err)
	}
	o.report.Count("acquired", 1)
	o.session.note(o.id, o.began, o.now(), e)
	return nil
}

// died waits until nothing is left of a killed owner. What it did it did before.
func (o ownership) died() error {
	told := o.told != ""
	if told {
		if err := o.noteAcquired(); err != nil {
			return err
		}
	}
	o.stdin.Close()
	_, _ = io.Copy(io.Discard, o.rest) // until the last process that has it is gone
	_ = o.cmd.Wait()
	now := o.now()
	o.session.note(o.id, o.began, now, event{deed: ended, owner: o.owner})
	if !told {
		o.session.later(o.id, o.began, now, o.owner, acquired)
	}
	o.session.later(o.id, o.began, now, o.owner, released)
	return nil
}

// refused notes what the refusal showed.
func (o ownership) refused() error {
	o.stdin.Close()
	_ = o.cmd.Wait()
	o.report.Count("refused", 1)
	return o.session.saw(o.id, o.began, o.now(), o.stderr.Bytes())
}

// answer is what an answer or a refusal shows.
type answer struct {
	ExitCode   int
	State      string
	Revision   string
	Generation uint64
	Replayed   bool
	Inspection *answer
}

func (c *client) ask(ctx context.Context, args ...string) (a answer, began int64, err error) {
	cmd := actor.Command(ctx, c.store, args...)
	began = c.now()
	out, _ := cmd.Output()
	c.report.Count("processes", 1)
	if err := json.Unmarshal(out, &a); err != nil {
		return a, began, fmt.Errorf("%q answers %q: %w", args, out, err)
	}
	return a, began, nil
}

// recover forces the revision that is in force now, or a moment ago.
func (c *client) recover(ctx context.Context, s *session) error {
	expect, ok := s.inForce(c.store)
	if !ok {
		return nil
	}
	a, began, err := c.ask(ctx, "recover", s.key, "--expect", expect, "--force", "--no-snapshot", "--json")
	if err != nil {
		return err
	}
	e := event{generation: a.Generation, revision: a.Revision, expect: expect}
	switch {
	case a.ExitCode == 0 && a.Replayed:
		e.deed = replayed
	case a.ExitCode == 0:
		e.deed = recovered
		c.report.Count("recovered", 1)
	case a.ExitCode == 78:
		e.deed = stale
	default:
		return s.look(c.id, began, c.now(), a)
	}
	s.note(c.id, began, c.now(), e)
	return nil
}

func (c *client) inspect(ctx context.Context, s *session) error {
	a, began, err := c.ask(ctx, "inspect", s.key, "--json")
	if err != nil {
		return err
	}
	s.note(c.id, began, c.now(), event{deed: saw, state: a.State, revision: a.Revision})
	return nil
}

// saw notes what a refusal on standard error shows.
func (s *session) saw(id int, began, now int64, stderr []byte) error {
	var a answer
	at := strings.IndexByte(string(stderr), '{')
	if at < 0 {
		return fmt.Errorf("a refusal without a reason: %s", stderr)
	}
	if err := json.Unmarshal(stderr[at:], &a); err != nil {
		return fmt.Errorf("a refusal says %q: %w", stderr, err)
	}
	return s.look(id, began, now, a)
}

// expected are the exit codes of refusals.
var expected = map[int]bool{75: true, 76: true, 79: true, 80: true}

func (s *session) look(id int, began, now int64, a answer) error {
	if !expected[a.ExitCode] || a.Inspection == nil {
		return fmt.Errorf("refused with %d: %+v", a.ExitCode, a)
	}
	s.note(id, began, now, event{deed: saw, state: a.Inspection.State, revision: a.Inspection.Revision})
	return nil
}
