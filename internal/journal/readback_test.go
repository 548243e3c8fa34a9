package journal_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

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
