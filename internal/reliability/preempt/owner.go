package preempt

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
	"holdfast/ownership"
)

// What an owner does meanwhile who had the session before the workload began.
const (
	release = "release"
	die     = "die"
)

func ofOwner(other string) bool { return other == release || other == die }

// owner is that owner.
type owner struct {
	revision ownership.Revision
	cmd      *exec.Cmd
	stdin    io.Closer
	stdout   *bufio.Reader
	said     bytes.Buffer
}

// startOwner acquires the session and notes in h what the owner was told.
func startOwner(ctx context.Context, store string, h check.History) (*owner, error) {
	o := &owner{cmd: actor.Command(ctx, store, "run", "--no-worktree", lab.Key, "--", "sh", "-c", "echo $SESSION_REVISION; read x; exit 0")}
	o.cmd.Stderr = &o.said
	stdin, err := o.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	o.stdin = stdin
	out, err := o.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	o.stdout = bufio.NewReader(out)
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	line, _ := o.stdout.ReadString('\n')
	o.revision, err = ownership.ParseRevision(strings.TrimSpace(line))
	if err != nil {
		stdin.Close()
		_ = o.cmd.Wait()
		return nil, fmt.Errorf("the owner says %q: %s", line, &o.said)
	}
	session := h.Of(lab.Digest)
	session.Told = append(session.Told, o.revision)
	session.Unanswered++
	return o, nil
}

// end ends the owner, and notes in h what is in force then if nobody else can have
// changed it. To release must work, whoever else is at it.
func (o *owner) end(how, store string, h check.History, alone bool) (wrong []string) {
	if how == die {
		_ = o.cmd.Process.Kill()
	}
	o.stdin.Close()
	_, _ = io.Copy(io.Discard, o.stdout) // until nothing is left that it started
	err := o.cmd.Wait()
	if how == die {
		return nil
	}
	if err != nil {
		wrong = append(wrong, fmt.Sprintf("a living owner could not release: %v: %s", err, &o.said))
	}
	if b, err := os.ReadFile(recordPath(store)); err == nil && alone {
		session := h.Of(lab.Digest)
		session.Told = append(session.Told, ownership.RevisionOf(b))
		session.Unanswered--
	}
	return wrong
}
