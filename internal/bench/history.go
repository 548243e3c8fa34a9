package main

import (
	"bufio"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"holdfast/internal/journal"
	"holdfast/ownership"
)

// historyRow is whether a long past gets in the way of looking at it.
var historyRow = row{
	name: "history",
	work: "first page of `session history K` with 100,000 records",
	goal: goal{within: 10 * time.Millisecond},
	play: playHistory,
}

func playHistory(l *lab) (t turns, err error) {
	f, err := l.furnish()
	if err != nil {
		return t, err
	}
	key, n := keyOf("old"), l.of(100_000, 400)
	if err := f.age(key, n); err != nil {
		return t, err
	}
	for l.goesOn(40, t) {
		took, err := firstPage(l.program("session"), "--store", f.Identity(), "--json", "history", "old")
		if err != nil {
			return t, err
		}
		t.ours = append(t.ours, float64(took))
	}
	return t, nil
}

// age gives a session n records, all but the last of them archived.
func (f *furnished) age(key ownership.Key, n int) error {
	archive := journal.At(f.JournalPath())
	var now ownership.Current
	var batch journal.Batch
	for i := range n {
		r, b, err := f.next(key, now)
		if err != nil {
			return err
		}
		now = ownership.Current{Record: &r, Revision: ownership.RevisionOf(b)}
		if i == n-1 {
			return f.write(key.Digest(), b)
		}
		batch.Records = append(batch.Records, archived(r, b))
		if len(batch.Records) == 5000 || i == n-2 {
			if err := archive.Append(background, batch); err != nil {
				return err
			}
			batch = journal.Batch{}
		}
	}
	return nil
}

// next is a release after an acquisition, and an acquisition after anything else.
func (f *furnished) next(key ownership.Key, now ownership.Current) (r ownership.Record, b []byte, err error) {
	if now.Record != nil && now.Record.State == ownership.RecordActive {
		r, err = ownership.ReleaseAcknowledge(now)
	} else {
		r, err = ownership.Acquire(now, ownership.Claim{Key: key, Owner: f.owner})
	}
	if err == nil {
		b, err = ownership.Encode(r)
	}
	return r, b, err
}

func archived(r ownership.Record, b []byte) journal.Record {
	kept := journal.Record{Digest: r.KeyDigest, Generation: r.Generation, Revision: ownership.RevisionOf(b), At: r.Owner.AcquiredAt, Bytes: b}
	if r.PreviousRevision != nil {
		kept.Previous = *r.PreviousRevision
	}
	return kept
}

// page is how many rows a person sees at once.
const page = 24

// firstPage times a command until it has printed a page.
func firstPage(argv ...string) (took time.Duration, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(out)
	for n := range page {
		if !lines.Scan() {
			return 0, errors.Join(fmt.Errorf("history ended after %d rows", n), cmd.Wait())
		}
		if want := fmt.Sprintf(`"generation":%d,`, n/2+1); !strings.Contains(lines.Text(), want) {
			return 0, errors.Join(fmt.Errorf("row %d is %s", n, lines.Text()), cmd.Process.Kill(), cmd.Wait())
		}
	}
	took = time.Since(began)
	if err := out.Close(); err != nil {
		return 0, err
	}
	_ = cmd.Wait() // nobody listens any more, and it says so
	return took, nil
}
