package tmux

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// history is how many lines above the screen are kept of a pane.
const history = "-1000"

// Screen returns as plain text what every pane of the session of exactly this name shows, with up to a thousand lines
// above it. Beside the name, nothing but ids of tmux's own is used to address it. An error says why there is no such text.
func Screen(ctx context.Context, session string) ([]byte, error) {
	at, id, err := find(ctx, session)
	if err != nil {
		return nil, err
	}
	return at.screen(ctx, id)
}

// find returns the server that has the session of exactly this name, and tmux's own name of it.
func find(ctx context.Context, session string) (at server, id string, err error) {
	name, err := spelled(session)
	if err != nil {
		return "", "", err
	}
	answer, at, err := askAll(ctx, name)
	if answer != Present {
		if err != nil {
			return "", "", fmt.Errorf("asking tmux for session %q: %w", session, err)
		}
		return "", "", fmt.Errorf("tmux has no session %q", session)
	}
	out, err := at.list(ctx)
	if err != nil {
		return "", "", err
	}
	id, ok := idOf(out, name)
	if !ok {
		return "", "", fmt.Errorf("session %q has just ended", session)
	}
	return at, id, nil
}

// idOf returns tmux's own name of the session that is called name.
func idOf(list []byte, name string) (string, bool) {
	for line := range strings.Lines(string(list)) {
		id, listed, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		if called(listed, name) && strings.HasPrefix(id, "$") && isID(id) {
			return id, true
		}
	}
	return "", false
}

func (s server) screen(ctx context.Context, id string) ([]byte, error) {
	panes, err := s.command(ctx, "list-panes", "-s", "-t", id, "-F", "#{pane_id} #{window_index}.#{pane_index}")
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for line := range strings.Lines(string(panes)) {
		pane, place, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasPrefix(pane, "%") || !isID(pane) {
			return nil, fmt.Errorf("unexpected answer %q", line)
		}
		text, err := s.command(ctx, "capture-pane", "-p", "-J", "-S", history, "-t", pane)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "==== window and pane %s ====\n%s\n", place, bytes.TrimRight(text, "\n"))
	}
	return b.Bytes(), nil
}

// command asks the server something, and waits no longer than for any question.
func (s server) command(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	words := []string{"-u"}
	if s != "" {
		words = append(words, "-S", string(s))
	}
	cmd := exec.CommandContext(ctx, "tmux", append(words, args...)...)
	cmd.Env = withoutTMUX(os.Environ())
	cmd.WaitDelay = timeout
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("no answer: %w", ctx.Err())
	}
	return out, err
}
