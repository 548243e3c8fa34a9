package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// run runs git as a person would, but for what their shell says of another repository. To lock and to remove a worktree
// starts no hook, no filter and no monitor of the repository, since neither looks at what has changed; to remove a branch
// would start a hook for references, and is told to start none.
func (t *tree) run(ctx context.Context, args []string) error {
	_, err := t.output(ctx, args)
	return err
}

// tipOf is the commit of the branch; "" where there is none, as before the first commit.
func (t *tree) tipOf(ctx context.Context) (string, error) {
	if t.branch == "" {
		return "", nil
	}
	out, err := t.output(ctx, []string{"-C", t.CommonDir, "for-each-ref", "--format=%(objectname)", "refs/heads/" + t.branch})
	return strings.TrimSpace(string(out)), err
}

func (t *tree) output(ctx context.Context, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, t.git.Path, args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }), "GIT_TERMINAL_PROMPT=0")
	cmd.Dir = t.CommonDir
	cmd.WaitDelay = time.Second // a grandchild that keeps the pipe open must not keep us
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("git %s: %s", strings.Join(args[2:], " "), strings.TrimSpace(string(exit.Stderr)))
	}
	return out, err
}
