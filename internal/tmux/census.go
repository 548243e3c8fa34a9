package tmux

import (
	"context"
	"errors"
	"fmt"
)

// Census is what every server of this user said of all its sessions, once.
type Census struct {
	rolls []found
	fault error // why others are missing
}

// found is the roll of a server with its socket.
type found struct {
	roll
	socket string
}

// TakeCensus asks every server that [Ask] would ask. What could not be asked is kept for the answers.
func TakeCensus(ctx context.Context) Census {
	var c Census
	for _, s := range named() {
		c.add(s, func() (roll, error) { return s.roll(ctx) })
	}
	others, err := elsewhere(ctx, named())
	c.fault = errors.Join(c.fault, err)
	for _, r := range others {
		c.add(r.server, func() (roll, error) { return r.roll(ctx) })
	}
	return c
}

func (c *Census) add(s server, ask func() (roll, error)) {
	said, err := ask()
	c.rolls = append(c.rolls, found{said, s.path()})
	c.fault = errors.Join(c.fault, err)
}

// Ask answers as [Ask] would have at the moment of the census.
func (c Census) Ask(session string) (answer Answer, socket string, err error) {
	name, err := spelled(session)
	if err != nil {
		return 0, "", err
	}
	for _, r := range c.rolls {
		if answer = max(answer, r.has(name)); answer == Present {
			return Present, r.socket, nil
		}
	}
	if err := errors.Join(c.fault, CheckName(session)); err != nil {
		return 0, "", fmt.Errorf("asking tmux for session %q: %w", session, err)
	}
	return answer, "", nil
}
