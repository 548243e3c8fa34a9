package gitwork

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"holdfast/internal/tail"
)

// Git is an installed git.
type Git struct {
	Path    string // absolute
	Version string // as `git version` prints it, without the words before the number
}

// FindGit returns the git on PATH, or an [*Error] of kind ErrNoGit. Relative entries of PATH are passed over: they
// could lead into the repository that is looked at.
func FindGit(ctx context.Context) (Git, error) {
	path, err := lookGit(os.Getenv("PATH"))
	if err != nil {
		return Git{}, err
	}
	limited, cancel := context.WithTimeout(ctx, limits.Count)
	defer cancel()
	out, err := exec.CommandContext(limited, path, "version").Output()
	if cause := context.Cause(ctx); cause != nil {
		return Git{}, cause
	}
	if err != nil {
		return Git{}, &Error{Kind: ErrNoGit, Path: path, Err: err, Next: "install git 2.30 or newer, then run the command again"}
	}
	return Git{Path: path, Version: strings.TrimSpace(strings.TrimPrefix(string(out), "git version "))}, nil
}

// Installed returns the error that [FindGit] would for want of a git. It starts nothing.
func Installed() error {
	_, err := lookGit(os.Getenv("PATH"))
	return err
}

func lookGit(searchPath string) (string, error) {
	for _, dir := range filepath.SplitList(searchPath) {
		file := filepath.Join(dir, "git")
		info, err := os.Stat(file)
		if filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file, nil
		}
	}
	return "", &Error{Kind: ErrNoGit, Path: searchPath, Next: "install git, or add the directory that has it to PATH"}
}

// repo is a git directory of our own making, which git may read: never the source's.
type repo struct {
	git      Git
	dir      string // the git directory
	worktree string
	home     string // an empty directory of ours: HOME and the working directory of git
	limit    time.Duration
}

// environ is the whole environment of every git process: no configuration but the private repository's own, no
// system or user attributes, no lock or refresh of an index, no network, no questions.
func (r repo) environ() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + r.home,
		"LC_ALL=C",
		"GIT_DIR=" + r.dir,
		"GIT_WORK_TREE=" + r.worktree,
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_GRAFT_FILE=/dev/null",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL=none",
	}
}

// always comes before every command. The limits keep git from mapping whole packs.
var always = []string{"--no-pager", "--literal-pathspecs", "-c", "core.packedGitWindowSize=16m", "-c", "core.packedGitLimit=128m"}

// run starts git in r and waits for it, up to the limit. Both streams may be nil.
func (r repo) run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	limited, cancel := context.WithTimeout(ctx, r.limit)
	defer cancel()
	cmd := exec.CommandContext(limited, r.git.Path, append(slices.Clone(always), args...)...)
	said := tail.Of(4 << 10)
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = r.environ(), r.home, stdin, stdout, said
	cmd.WaitDelay = 5 * time.Second // a grandchild that keeps a pipe open must not keep us
	err := cmd.Run()
	if err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if limited.Err() != nil {
		err = fmt.Errorf("%w: stopped after %v", ErrEndless, r.limit)
	}
	return &GitError{Args: args, Stderr: said.String(), Err: err}
}

// output is run, with what git printed.
func (r repo) output(ctx context.Context, args ...string) ([]byte, error) {
	var b bytes.Buffer
	err := r.run(ctx, nil, &b, args...)
	return b.Bytes(), err
}

// fields is output, split at the NULs.
func (r repo) fields(ctx context.Context, args ...string) ([]string, error) {
	b, err := r.output(ctx, args...)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00"), nil
}

// exitCode returns the exit status behind err, or -1.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
