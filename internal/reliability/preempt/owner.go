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

// release is what an owner does meanwhile who had the session before the workload
// began.
const release = "release"

// owner is that owner.
type owner struct {
	cmd   *exec.Cmd
	stdin io.Closer
	said  bytes.Buffer
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
	if err := o.cmd.Start(); err != nil {
		return nil, err
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	r, err := ownership.ParseRevision(strings.TrimSpace(line))
	if err != nil {
		stdin.Close()
		_ = o.cmd.Wait()
		return nil, fmt.Errorf("the owner says %q: %s", line, &o.said)
	}
	session := h.Of(lab.Digest)
	session.Told = append(session.Told, r)
	session.Unanswered++
	return o, nil
}

// release ends the owner, which must work, whoever else is at it, and notes in h what
// is in force then if nobody else can have changed it.
func (o *owner) release(store string, h check.History, alone bool) (wrong []string) {
	o.stdin.Close()
	if err := o.cmd.Wait(); err != nil {
		wrong = append(wrong, fmt.Sprintf("a living owner could not release: %v: %s", err, &o.said))
	}
	if b, err := os.ReadFile(recordPath(store)); err == nil && alone {
		session := h.Of(lab.Digest)
		session.Told = append(session.Told, ownership.RevisionOf(b))
		session.Unanswered--
	}
	return wrong
}
