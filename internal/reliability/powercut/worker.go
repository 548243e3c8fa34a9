package powercut

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"holdfast/admin"
	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// worker is the role of a process that takes and releases some sessions without end, each
// for itself, and says on standard output what it was told. Where there are several, it
// first recovers those that an earlier one left, many at once.
const worker = "powercut-worker"

func init() { actor.Register(worker, work) }

func work() int {
	err := workOn(context.Background(), os.Args[1], os.Args[2])
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// workOn returns with an error only: the power fails.
func workOn(ctx context.Context, store, crowd string) error {
	n, err := strconv.Atoi(crowd)
	if err != nil {
		return err
	}
	s, err := dirstore.Open(store, dirstore.Options{})
	if err != nil {
		return err
	}
	if n == 1 {
		return useForever(ctx, s, keyOf(0))
	}
	if err := recoverAll(ctx, s, n); err != nil {
		return err
	}
	// The first publish makes the store, so that there is something to gather in.
	if err := cycle(ctx, s, keyOf(0)); err != nil {
		return err
	}
	gathered, _, done := lease.Gather(s)
	defer done()
	faults := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { faults[i] = useForever(ctx, gathered, keyOf(i)) })
	}
	all.Wait()
	return errors.Join(faults...)
}

// keyOf is the key of a session of the crowd; the first is that of every lane.
func keyOf(i int) ownership.Key {
	name := lab.Key
	if i > 0 {
		name = fmt.Sprint("crowd/", i)
	}
	k, err := ownership.ParseKey(name)
	if err != nil {
		panic(err)
	}
	return k
}

// recoverAll recovers what of the crowd is stranded.
func recoverAll(ctx context.Context, s lease.Store, n int) error {
	var rows strings.Builder
	for i := range n {
		seen, err := lease.Inspect(ctx, s, keyOf(i).Digest())
		if err != nil {
			return err
		}
		if seen.State != ownership.StateStranded {
			continue
		}
		if err := json.NewEncoder(&rows).Encode(map[string]any{"keyDigest": seen.KeyDigest, "revision": seen.Stored.Revision}); err != nil {
			return err
		}
	}
	template := admin.Recovery{Consent: admin.Force, Snapshot: admin.SnapshotSkip, Reason: "the power failed"}
	for row, err := range admin.RecoverBatch(ctx, s, strings.NewReader(rows.String()), template) {
		if err != nil {
			return err
		}
		tell(row.KeyDigest, row.Receipt.Revision)
	}
	return nil
}

func useForever(ctx context.Context, s lease.Store, key ownership.Key) error {
	for {
		if err := cycle(ctx, s, key); err != nil {
			return err
		}
	}
}

func cycle(ctx context.Context, s lease.Store, key ownership.Key) error {
	l, err := lease.Acquire(ctx, s, key, lease.Owner{Kin: true})
	if err != nil {
		return err
	}
	tell(key.Digest(), l.Revision())
	note := l.Revision().String()
	if err := l.Describe(ctx, ownership.Facts{Resume: &note}); err != nil {
		return err
	}
	tell(key.Digest(), l.Revision())
	if err := l.Release(ctx); err != nil {
		return err
	}
	tell(key.Digest(), l.Revision())
	return nil
}

// tell says in one write that a record is in force, which parseTold reads.
func tell(d ownership.Digest, r ownership.Revision) { fmt.Println(d, r) }

func parseTold(line string) (d ownership.Digest, r ownership.Revision, err error) {
	digest, revision, _ := strings.Cut(line, " ")
	if d, err = ownership.ParseDigest(digest); err != nil {
		return d, r, err
	}
	r, err = ownership.ParseRevision(revision)
	return d, r, err
}
