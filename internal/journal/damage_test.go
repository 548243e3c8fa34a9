package journal_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"holdfast/internal/journal"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

const pageSize = 4096

// sound returns the bytes of a journal with records, strays and events.
func sound(t *testing.T) []byte {
	t.Helper()
	j := newJournal(t)
	for n := range 20 {
		appended(t, j, journal.Batch{Records: chain(string(rune('a'+n)), 0, 30)})
	}
	stray := record("z", 3)
	appended(t, j, journal.Batch{
		Strays: []journal.Record{stray},
		Events: []journal.Event{{At: ownership.At(epoch), Event: "prune"}},
	})
	b, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	return b
}

// Nothing that can be wrong with the file ends the process, and nothing that comes out
// of it is taken for what it is not: a wrong record is told by its revision (I12).
func TestDamageIsReported(t *testing.T) {
	t.Parallel() // others wait meanwhile
	whole := sound(t)
	random := rand.New(rand.NewPCG(1, 2))
	for range testkit.Rounds(30, 100) {
		b := append([]byte(nil), whole...)
		page := b[random.IntN(len(whole)/pageSize)*pageSize:][:pageSize]
		damage(random, page)
		use(t, b)
	}
}

// A page that leads to records is never missed: lost whole, it is found whatever else
// is sound. Which pages those are differs from run to run, so each of them is tried.
func TestEachLostPageInUseIsFound(t *testing.T) {
	t.Parallel() // others wait meanwhile
	whole := sound(t)
	pages := inUse(t, whole)
	require.Greater(t, len(pages), 10)
	losses := []func(page []byte){zeroed, garbled}
	for n, id := range pages {
		if n%testkit.Rounds(3, 1) != 0 {
			continue
		}
		b := append([]byte(nil), whole...)
		losses[n%len(losses)](b[id*pageSize:][:pageSize])
		require.True(t, use(t, b), "page %d", id)
	}
}

// inUse lists the pages that hold keys or lead to them.
func inUse(t *testing.T, b []byte) (ids []int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.db")
	require.NoError(t, os.WriteFile(path, b, 0o600))
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, PreLoadFreelist: true})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		for id := range len(b) / pageSize {
			page, err := tx.Page(id)
			if err != nil {
				return err
			}
			if page != nil && (page.Type == "leaf" || page.Type == "branch") {
				ids = append(ids, id)
			}
		}
		return nil
	}))
	return ids
}

// damage changes one page: to zeros, to garbage, or in a few bytes of its beginning,
// where bbolt keeps what leads to other pages.
func damage(random *rand.Rand, page []byte) {
	switch random.IntN(3) {
	case 0:
		zeroed(page)
	case 1:
		garbled(page)
	case 2:
		for range 4 {
			page[random.IntN(200)] ^= byte(1 + random.IntN(255))
		}
	}
}

func zeroed(page []byte) { clear(page) }

func garbled(page []byte) {
	random := rand.New(rand.NewPCG(5, 6))
	for i := range page {
		page[i] = byte(random.Uint32())
	}
}

// use does everything with a damaged file, and reports whether the damage was found.
func use(t *testing.T, b []byte) (found bool) {
	t.Helper()
	j := newJournal(t)
	require.NoError(t, os.WriteFile(j.Path(), b, 0o600))
	for _, do := range []func() error{
		func() error { return wrong(t, j) },
		func() error { _, err := j.Highest(t.Context(), digestOf("c")); return err },
		func() error { _, err := j.Check(t.Context()); return err },
		func() error { return j.Append(t.Context(), journal.Batch{Records: chain("c", 30, 4)}) },
	} {
		if err := do(); err != nil {
			found = true
			var typed *journal.Error
			require.True(t, errors.As(err, &typed), "%v", err)
			require.NotErrorIs(t, err, journal.ErrLocked)
		}
	}
	return found
}

// wrong reads everything, and fails for a record whose bytes are not what they seem.
func wrong(t *testing.T, j *journal.Journal) error {
	for item, err := range j.Since(t.Context(), ownership.At(epoch)) {
		if err != nil {
			return err
		}
		if r := item.Record; r != nil {
			_ = ownership.RevisionOf(r.Bytes) == r.Revision // the caller's question
		}
	}
	for _, err := range j.Records(t.Context(), digestOf("c")) {
		if err != nil {
			return err
		}
	}
	return nil
}

// A file that is cut off anywhere is found out before it is mapped.
func TestTruncation(t *testing.T) {
	whole := sound(t)
	random := rand.New(rand.NewPCG(3, 4))
	sizes := []int{1, 15, 16, 79, 80, pageSize - 1, pageSize, pageSize + 1, 2 * pageSize, len(whole) / 2}
	for range 30 {
		sizes = append(sizes, random.IntN(len(whole)/2))
	}
	for _, size := range sizes {
		j := newJournal(t)
		require.NoError(t, os.WriteFile(j.Path(), whole[:size], 0o600))
		requireDamaged(t, j.Append(t.Context(), journal.Batch{Records: chain("c", 30, 1)}))
		_, err := j.Check(t.Context())
		requireDamaged(t, err)
		b, err := os.ReadFile(j.Path())
		require.NoError(t, err)
		require.Len(t, b, size)
	}
}

// A damaged journal does not keep its lock: the next one to try gets the same answer
// at once.
func TestDamageFreesTheLock(t *testing.T) {
	b := sound(t)
	for at := 2 * pageSize; at < len(b); at++ {
		b[at] = 0xff
	}
	j := newJournal(t)
	require.NoError(t, os.WriteFile(j.Path(), b, 0o600))
	for range 3 {
		requireDamaged(t, j.Append(t.Context(), journal.Batch{Records: chain("c", 30, 1)}))
		_, err := j.Highest(context.Background(), digestOf("c"))
		requireDamaged(t, err)
	}
}

// A page that another one names and that is not there faults in the mapping. It is an
// error, not the end of the process.
func TestAPageThatIsNotThere(t *testing.T) {
	whole := sound(t)
	const branch, beyond = 1, 1 << 20
	e := binary.NativeEndian
	changed := 0
	for at := 2 * pageSize; at < len(whole); at += pageSize {
		page := whole[at : at+pageSize]
		if e.Uint16(page[8:]) != branch {
			continue
		}
		for n := range int(e.Uint16(page[10:])) {
			e.PutUint64(page[16+16*n+8:], beyond)
			changed++
		}
	}
	require.Positive(t, changed)
	require.True(t, use(t, whole))
}

// A database without a list of its free pages is none of ours: bbolt would look for
// them where a fault cannot be caught.
func TestADatabaseOfSomethingElse(t *testing.T) {
	for _, noFreelist := range []bool{false, true} {
		j := newJournal(t)
		db, err := bbolt.Open(j.Path(), 0o600, &bbolt.Options{NoFreelistSync: noFreelist})
		require.NoError(t, err)
		require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
			_, err := tx.CreateBucket([]byte("cats"))
			return err
		}))
		require.NoError(t, db.Close())
		requireDamaged(t, j.Append(t.Context(), journal.Batch{Records: chain("c", 0, 1)}))
		_, err = j.Highest(t.Context(), digestOf("c"))
		requireDamaged(t, err)
		_, err = j.Check(t.Context())
		requireDamaged(t, err)
	}
}
