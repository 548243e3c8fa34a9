package tmux

import (
	"context"
	"fmt"
	"strings"
)

// Attached reports whether a client shows the session at this moment. [ErrReplaced] means that it is not there any more.
func (s *Session) Attached(ctx context.Context) (bool, error) {
	out, err := s.at.command(ctx, "list-sessions", "-F", "#{session_id} #{pid} #{start_time} #{session_attached}")
	if err != nil {
		return false, explained(err)
	}
	want := fmt.Sprintf("%s %d %s ", s.ID, s.pid, s.since)
	for line := range strings.Lines(string(out)) {
		if clients, ok := strings.CutPrefix(strings.TrimSpace(line), want); ok {
			return clients != "0", nil
		}
	}
	return false, ErrReplaced
}
