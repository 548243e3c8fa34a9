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

// timeout bounds one question; a server answers within milliseconds unless it is stopped. Tests of stopped ones shorten it.
var timeout = 3 * time.Second

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

// roll is what one server said of all its sessions.
type roll struct {
	answer Answer // NoServer, or NoSession where it has others; zero where it could not be asked
	names  map[string]bool
}

// has looks for a name, which is never given to tmux.
func (r roll) has(name string) Answer {
	if r.names[name] || r.names[unescaped(name)] {
		return Present
	}
	return r.answer
}

// roll of a server that has ended meanwhile is no error; of one that runs and cannot be reached it is.
func (r running) roll(ctx context.Context) (roll, error) {
	said, err := r.server.roll(ctx)
	switch {
	case err == nil && said.answer != NoServer:
		return said, nil
	case r.ends(ctx):
		return roll{answer: NoServer}, nil
	case err == nil:
		err = errors.New("it runs and does not listen there")
	}
	return roll{}, fmt.Errorf("server %d at %s: %w", r.pid, r.server, err)
}

func (s server) roll(ctx context.Context) (roll, error) {
	out, err := s.list(ctx)
	if err != nil {
		answer, err := s.explain(err)
		return roll{answer: answer}, err
	}
	names, err := parseNames(out)
	if err != nil {
		return roll{}, err
	}
	return roll{NoSession, names}, nil
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
