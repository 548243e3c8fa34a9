package journal_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"holdfast/internal/journal"
	"holdfast/ownership"
)

// What is written below a key that leads elsewhere is taken, and is not there
// afterwards: nothing may be removed for it (I11).
func TestWhatCannotBeReadBackIsNotKept(t *testing.T) {
	j := newJournal(t)
	appended(t, j, journal.Batch{Records: chain("a", 0, 30)})
	b, err := os.ReadFile(j.Path())
	require.NoError(t, err)
	require.Positive(t, raiseLastKeys(b, "a"))
	require.NoError(t, os.WriteFile(j.Path(), b, 0o600))
	next := record("a", 30)
	next.Bytes = []byte("it has room on the last page")
	next.Revision = ownership.RevisionOf(next.Bytes)
	requireDamaged(t, j.Append(t.Context(), journal.Batch{Records: []journal.Record{next}}))
}

// raiseLastKeys changes the last key of every branch page that leads to records of a
// session: it is the next one then.
func raiseLastKeys(b []byte, session string) (changed int) {
	const branch, element = 1, 16
	e, digest := binary.NativeEndian, digestOf(session)
	for at := 2 * pageSize; at < len(b); at += pageSize {
		page := b[at : at+pageSize]
		if e.Uint16(page[8:]) != branch {
			continue
		}
		last := page[16+element*(int(e.Uint16(page[10:]))-1):]
		key := last[e.Uint32(last):][:e.Uint32(last[4:])]
		if bytes.HasPrefix(key, digest[:]) {
			key[len(key)-1]++
			changed++
		}
	}
	return changed
}

// Damage among the entries of one session costs the others nothing that they append at the
// same time.
func TestDamageOfOneSessionIsItsOwn(t *testing.T) {
	j := newJournal(t)
	appended(t, j, journal.Batch{Records: chain("damaged", 0, 2)})
	d := digestOf("damaged")
	plantEntry(t, j, append(binary.BigEndian.AppendUint64(d[:], 2), "nowhere"...))
	const others = 30
	errs := make([]error, 1+others)
	var all sync.WaitGroup
	for i := range errs {
		session := "damaged"
		if i > 0 {
			session = fmt.Sprint(i)
		}
		all.Go(func() { errs[i] = j.Append(context.Background(), journal.Batch{Records: chain(session, 2, 1)}) })
	}
	all.Wait()
	requireDamaged(t, errs[0])
	for i, err := range errs[1:] {
		require.NoError(t, err)
		require.Len(t, records(t, j, fmt.Sprint(1+i)), 1)
	}
}

func plantEntry(t *testing.T, j *journal.Journal, key []byte) {
	t.Helper()
	db, err := bbolt.Open(j.Path(), 0o600, nil)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("records")).Put(key, []byte("no record"))
	}))
}
