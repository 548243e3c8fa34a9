package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

func requireRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		testkit.Skip(t, "only root can act as another user or mount")
	}
}

func storeOf(args []string) (*dirstore.Store, error) {
	return dirstore.Open(args[0], dirstore.Options{})
}

// playFirstUser waits for the start, acquires its own session and releases it.
func playFirstUser(args []string) error {
	if err := ready(); err != nil {
		return err
	}
	return playUse(args)
}

// playUse acquires a session and releases it.
func playUse(args []string) error {
	s, err := storeOf(args)
	if err != nil {
		return err
	}
	c, err := acquire(s, args[1], self())
	var refused *lease.StoreError
	if errors.As(err, &refused) {
		return fmt.Errorf("%w (kind %v, about %q, advice: %s)", err, refused.Kind, refused.Path, refused.Advice)
	}
	if err != nil {
		return err
	}
	return c.release()
}

// playHold acquires a session and keeps it.
func playHold(args []string) error {
	s, err := storeOf(args)
	if err != nil {
		return err
	}
	if _, err := acquire(s, args[1], self()); err != nil {
		return err
	}
	return ready()
}

// playProbe prints what it finds out about the owner of a session.
func playProbe(args []string) error {
	s, err := storeOf(args)
	if err != nil {
		return err
	}
	stored, err := s.Load(background, keyOf(args[1]).Digest())
	if err != nil {
		return err
	}
	live, err := s.Probe(background, *stored.Reading(keyOf(args[1]).Digest()).Record)
	if err != nil {
		return err
	}
	for _, e := range live.Evidence {
		fmt.Println(e.Probe, e.Finding, e.Detail)
	}
	fmt.Println("verdict", live.Verdict)
	return nil
}

// playLockDir takes the lock of a directory.
func playLockDir(args []string) error {
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	return ready()
}

// playCycle acquires and releases for ever.
func playCycle(args []string) error {
	s, err := storeOf(args)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		c, err := acquire(s, args[1], self())
		if err == nil {
			err = c.release()
		}
		if err != nil {
			return err
		}
	}
}

// playContend acquires and releases as often as it can until stdin ends.
func playContend(args []string) error {
	s, err := storeOf(args)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(background)
	go func() {
		ready()
		cancel()
	}()
	for ctx.Err() == nil {
		c, err := acquire(s, args[1], self())
		if err == nil {
			err = c.release()
		} else if isRefused(err) {
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isRefused reports whether somebody else was faster.
func isRefused(err error) bool {
	var active *ownership.TransitionError
	return errors.Is(err, lease.ErrHeld) || errors.Is(err, lease.ErrConflict) || errors.As(err, &active)
}
