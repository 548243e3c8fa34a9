package sqlitecopy

import (
	"errors"
	"testing"

	"github.com/ncruces/go-sqlite3"
	"github.com/stretchr/testify/require"
)

func TestWhatAnErrorIsAbout(t *testing.T) {
	for err, want := range map[error]fault{
		sqlite3.NOTADB:           ofFormat,
		sqlite3.CORRUPT_INDEX:    ofContent,
		sqlite3.IOERR_SHORT_READ: ofContent,
		sqlite3.IOERR_READ:       ofMachine,
		sqlite3.FULL:             ofMachine,
		sqlite3.INTERRUPT:        ofMachine,
		errors.New("no code"):    ofMachine,
		sqlite3.ERROR:            ofStatement,
		errGaveUp:                ofEngine,
	} {
		require.Equal(t, want, faultOf(err), "%v", err)
		require.Equal(t, want, faultOf(errors.Join(err)), "%v", err)
	}
}
