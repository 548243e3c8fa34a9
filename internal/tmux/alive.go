package tmux

import (
	"context"
	"errors"
	"fmt"
)

// Answer is what a server, or several, had to say about a session.
type Answer int

// Answers in increasing order of what they tell; of several servers the greatest counts.
const (
	NoServer  Answer = iota + 1 // no server runs
	NoSession                   // a server runs, and has no such session
	Present                     // a server has the session
)

// Alive reports whether a server of this user has a session of exactly this name. An error means that it could not be
// told; see [Ask].
func Alive(ctx context.Context, session string) (bool, error) {
	answer, _, err := Ask(ctx, session)
	return answer == Present, err
}

// Ask looks for a session of exactly this name on every server of this user, and says on whose socket it is Present. Its
// answer is zero with an error, which it returns when no server that could be asked has the session, and one could not
// be asked: tmux is not installed, may not reach the socket, did not answer in time or not as expected. That /proc, which
// shows the servers, cannot be read is an error too, and so is a name that tmux cannot give to a session.
func Ask(ctx context.Context, session string) (answer Answer, socket string, err error) {
	name, err := spelled(session)
	if err != nil {
		return 0, "", err
	}
	best, at, err := askAll(ctx, name)
	switch {
	case best == Present:
		return Present, at.path(), nil
	case err != nil:
		return 0, "", fmt.Errorf("asking tmux for session %q: %w", session, err)
	}
	if err := CheckName(session); err != nil {
		return 0, "", err // an id: a session may be called so, but that none is proves nothing
	}
	return best, "", nil
}

// askAll asks until a server has the session, and searches for servers only when those without a search have it not. It
// returns the best answer, whose it is, and why others are missing.
func askAll(ctx context.Context, name string) (best Answer, at server, err error) {
	for _, s := range named() {
		said, failed := s.roll(ctx)
		if best, err = max(best, said.has(name)), errors.Join(err, failed); best == Present {
			return best, s, nil
		}
	}
	found, failed := elsewhere(ctx, named())
	err = errors.Join(err, failed)
	for _, r := range found {
		said, failed := r.roll(ctx)
		if best, err = max(best, said.has(name)), errors.Join(err, failed); best == Present {
			return best, r.server, nil
		}
	}
	return best, "", err
}
