package lease_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// A host owns a session while an agent works in it, and acknowledges that the work
// has stopped.
func Example() {
	dir, _ := os.MkdirTemp("", "holdfast")
	defer os.RemoveAll(dir)
	store, err := dirstore.Open(filepath.Join(dir, "store"), dirstore.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	key, err := ownership.ParseKey("web/42")
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := lease.Acquire(context.Background(), store, key, lease.Owner{Kind: "ide", Program: "agent"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("generation", l.Generation())

	var refusal *lease.Refusal
	_, err = lease.Acquire(context.Background(), store, key, lease.Owner{})
	if errors.As(err, &refusal) {
		fmt.Println(refusal.Reason, "by", refusal.Inspection.Record.Owner.Program)
	}

	// The agent works here. When nothing of it is left:
	if err := l.Release(context.Background()); err != nil {
		fmt.Println(err) // the session is still active, or not known to be idle
	}
	i, _ := lease.Inspect(context.Background(), store, key.Digest())
	fmt.Println(i.State)
	// Output:
	// generation 1
	// active-owner by agent
	// idle
}

// Work stops when the ownership that it rests on is lost.
func ExampleDo() {
	dir, _ := os.MkdirTemp("", "holdfast")
	defer os.RemoveAll(dir)
	store, _ := dirstore.Open(filepath.Join(dir, "store"), dirstore.Options{})
	key, _ := ownership.ParseKey("web/42")

	err := lease.Do(context.Background(), store, key, lease.Owner{}, func(ctx context.Context, l *lease.Lease) error {
		// Somebody takes the owner's lock file away.
		locks, _ := filepath.Glob(filepath.Join(dir, "store", "sessions", "*", "life.*"))
		for _, lock := range locks {
			os.Remove(lock)
		}
		select {
		case <-ctx.Done(): // stop the agent, write nothing more
			return context.Cause(ctx)
		case <-time.After(time.Minute):
			l.Quiesced()
			return nil
		}
	})
	fmt.Println(errors.Is(err, lease.ErrOwnershipLost))
	// Output:
	// true
}
