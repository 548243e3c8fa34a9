package tmux

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrReplaced is returned when the server, or its session, is not the one that was found any more. Nothing was done.
var ErrReplaced = errors.New("the tmux session is not the one that was found any more")

// Session is a session as it was found. It means that one for good: neither a later session of the same name, nor one of
// a later server at the same socket.
type Session struct {
	Name   string // as tmux spells it
	Socket string // at which its server listens
	ID     string // tmux's own, like $3, which a server never gives twice

	at    server
	pid   int    // of the server
	since string // when the server started, as tmux says it
}

// Find looks for the session of exactly this name on every server of this user. It is nil where certainly none has it;
// an error means that it could not be told, as with [Ask].
func Find(ctx context.Context, session string) (*Session, error) {
	name, err := spelled(session)
	if err != nil {
		return nil, err
	}
	best, at, err := askAll(ctx, name)
	switch {
	case best == Present:
		return at.find(ctx, name)
	case err != nil:
		return nil, fmt.Errorf("asking tmux for session %q: %w", session, err)
	}
	return nil, CheckName(session)
}

// find looks again, at the server that has just said that it has the session.
func (s server) find(ctx context.Context, name string) (*Session, error) {
	out, err := s.command(ctx, "list-sessions", "-F", "#{session_id} #{pid} #{start_time} #{session_name}")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(out)) {
		found, err := s.parseSession(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		if called(found.Name, name) {
			return found, nil
		}
	}
	return nil, fmt.Errorf("session %q has just ended", name)
}

func (s server) parseSession(line string) (*Session, error) {
	fields := strings.SplitN(line, " ", 4)
	if len(fields) != 4 || !strings.HasPrefix(fields[0], "$") || !isID(fields[0]) || !isNumber(fields[2]) {
		return nil, fmt.Errorf("unexpected answer %q", line)
	}
	pid, err := strconv.Atoi(fields[1])
	if err != nil {
		return nil, fmt.Errorf("unexpected answer %q", line)
	}
	return &Session{Name: fields[3], Socket: s.path(), ID: fields[0], at: s, pid: pid, since: fields[2]}, nil
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// do has the server carry out a tmux command if it is still the one in which the session was found. Both happen in one
// step of the server, and what is put into the command is nothing but ids and quoted text.
func (s *Session) do(ctx context.Context, command string) error {
	same := fmt.Sprintf("#{&&:#{==:#{pid},%d},#{==:#{start_time},%s}}", s.pid, s.since)
	out, err := s.at.command(ctx, "if-shell", "-F", same, command, "display-message -p another")
	switch {
	case err != nil:
		return explained(err)
	case len(out) > 0:
		return ErrReplaced
	}
	return nil
}

// Command is how a person types a tmux command to the server of this session.
func (s *Session) Command(args ...string) []string {
	argv := []string{"tmux"}
	if s.at != "" {
		argv = append(argv, "-S", s.Socket)
	}
	return append(argv, args...)
}

// Target is what -t takes to mean the session of exactly this name, and no part or pattern of it.
func (s *Session) Target() string { return "=" + s.Name }
