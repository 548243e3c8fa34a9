package dirstore_test

import (
	"path/filepath"
	"testing"

	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// counted returns a store that counts, with one session held by this process.
func counted(b *testing.B) (*calls, *dirstore.Store, *turn) {
	seen := &calls{failAt: -1}
	s := seen.store(b, filepath.Join(b.TempDir(), "store"))
	c := mustAcquire(b, s, "k", self())
	seen.seen = nil
	b.ReportAllocs()
	return seen, s, c
}

func report(b *testing.B, seen *calls) {
	b.ReportMetric(float64(seen.syncs())/float64(b.N), "fsyncs/op")
}

func BenchmarkPublish(b *testing.B) {
	seen, _, c := counted(b)
	first, second := "/a", "/b"
	for b.Loop() {
		first, second = second, first
		r, err := ownership.Describe(c.current, ownership.Facts{Worktree: &first})
		if err == nil {
			err = c.publish(r)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	report(b, seen)
}

func BenchmarkLoad(b *testing.B) {
	seen, s, c := counted(b)
	for b.Loop() {
		if _, err := s.Load(background, c.digest()); err != nil {
			b.Fatal(err)
		}
	}
	report(b, seen)
}

func BenchmarkProbeHeld(b *testing.B) {
	seen, s, c := counted(b)
	for b.Loop() {
		live, err := s.Probe(background, *c.current.Record)
		if err != nil || live.Verdict != ownership.Alive {
			b.Fatal(live, err)
		}
	}
	report(b, seen)
}

// BenchmarkRefused is what a contender costs.
func BenchmarkRefused(b *testing.B) {
	seen, s, c := counted(b)
	for b.Loop() {
		i, err := lease.Inspect(background, s, c.digest())
		if err != nil || i.State != ownership.StateHeld {
			b.Fatal(i.State, err)
		}
	}
	report(b, seen)
}
