//go:build !linux

package mutants

import (
	"context"
	"os/exec"
)

// kept is a command. What it leaves can be found on Linux only.
func kept(ctx context.Context, argv ...string) *exec.Cmd {
	return exec.CommandContext(ctx, argv[0], argv[1:]...)
}
