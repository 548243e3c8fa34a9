package plan

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// run runs git as a person would, but for what their shell says of another repository. These commands start no hook, no
// filter and no monitor of the repository: none of them looks at what has changed.
func (t *tree) run(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, t.git.Path, args...)
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") }), "GIT_TERMINAL_PROMPT=0")
	cmd.Dir = t.CommonDir
	_, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("git %s: %s", args[2]+" "+args[3], strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
