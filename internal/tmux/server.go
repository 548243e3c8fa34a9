package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// timeout bounds one question; a server answers within milliseconds unless it is stopped.
const timeout = 3 * time.Second

// server is the path of a socket; empty for the default server.
type server string

// running is a server that was seen as a process.
type running struct {
	server
	pid int
}

// named are the servers that need no search: the default and the surrounding one.
func named() []server {
	// "socket,pid,session": tmux itself ends the path at the first comma.
	surrounding, _, _ := strings.Cut(os.Getenv("TMUX"), ",")
	if surrounding == "" {
		return []server{""}
	}
	return []server{"", server(surrounding)}
}

// path is the socket also of the default server, by the rule of tmux's make_label. That server is asked without it, as
// tmux knows best; it serves to tell people, and to recognise the server.
func (s server) path() string {
	if s != "" {
		return string(s)
	}
	dir, err := filepath.EvalSymlinks(os.Getenv("TMUX_TMPDIR"))
	if err != nil || dir == "" {
		dir = "/tmp"
	}
	return filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()), "default")
}

// ask of a server that has ended meanwhile is no error; of one that runs and cannot be reached it is.
func (r running) ask(ctx context.Context, name string) (Answer, error) {
	answer, err := r.server.ask(ctx, name)
	switch {
	case err == nil && answer != NoServer:
		return answer, nil
	case r.ends(ctx):
		return NoServer, nil
	case err == nil:
		err = errors.New("it runs and does not listen there")
	}
	return 0, fmt.Errorf("server %d at %s: %w", r.pid, r.server, err)
}

// ask compares all names instead of naming the session to tmux.
func (s server) ask(ctx context.Context, name string) (Answer, error) {
	out, err := s.list(ctx)
	if err != nil {
		return s.explain(err)
	}
	names, err := parseNames(out)
	if err != nil {
		return 0, err
	}
	if names[name] {
		return Present, nil
	}
	return NoSession, nil
}

func (s server) list(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	// -u, or names come with an underscore for each character beyond ASCII.
	args := []string{"-u"}
	if s != "" {
		args = append(args, "-S", string(s))
	}
	cmd := exec.CommandContext(ctx, "tmux", append(args, "list-sessions", "-F", "#{session_id}:#{session_name}")...)
	cmd.Env = withoutTMUX(os.Environ())
	cmd.WaitDelay = timeout
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("no answer: %w", ctx.Err())
	}
	return out, err
}

// withoutTMUX makes tmux reach for its default server.
func withoutTMUX(environ []string) (kept []string) {
	for _, variable := range environ {
		if !strings.HasPrefix(variable, "TMUX=") {
			kept = append(kept, variable)
		}
	}
	return kept
}
