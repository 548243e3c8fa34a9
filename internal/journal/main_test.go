package journal_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"holdfast/internal/journal"
	"holdfast/internal/testkit"
	"holdfast/ownership"
)

// roleVariable makes the test binary one of the processes of a test.
const roleVariable = "HOLDFAST_JOURNAL_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "":
		testkit.WaitTogether(8)
		os.Exit(m.Run())
	case "holder":
		holderRole(os.Args[1])
	case "appender":
		appenderRole(os.Args[1], os.Args[2], os.Args[3])
		os.Exit(0)
	}
}

// holderRole takes the file's exclusive lock and keeps it.
func holderRole(path string) {
	f, err := os.Open(path)
	must(err)
	must(unix.Flock(int(f.Fd()), unix.LOCK_EX))
	fmt.Println("held")
	select {}
}

// appenderRole appends batches, and says which are durable.
func appenderRole(path, session, batches string) {
	j := journal.At(path)
	most, err := strconv.ParseUint(batches, 10, 64)
	must(err)
	for n := range most {
		must(j.Append(context.Background(), journal.Batch{Records: chain(session, n*batch, batch)}))
		fmt.Println(n)
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func role(t *testing.T, args ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+args[0])
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

const batch = 16

func digestOf(session string) ownership.Digest {
	return ownership.Digest(ownership.RevisionOf([]byte(session)))
}

var epoch = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// chain returns n records of a session from a position on: two of each generation.
// Their bytes are no encodings of anything: the journal does not look into them.
func chain(session string, from, n uint64) []journal.Record {
	var all []journal.Record
	for i := from; i < from+n; i++ {
		all = append(all, record(session, i))
	}
	return all
}

func record(session string, i uint64) journal.Record {
	r := journal.Record{
		Digest:     digestOf(session),
		Generation: ownership.Generation(1 + i/2),
		Bytes:      content(session, i),
		At:         ownership.At(epoch.Add(time.Duration(i) * time.Second)),
	}
	r.Revision = ownership.RevisionOf(r.Bytes)
	if i > 0 {
		r.Previous = ownership.RevisionOf(content(session, i-1))
	}
	return r
}

// content is as large as most records are.
func content(session string, i uint64) []byte {
	b := make([]byte, 1000)
	copy(b, session+" "+strconv.FormatUint(i, 10))
	binary.BigEndian.PutUint64(b[992:], i)
	return b
}

func newJournal(t testing.TB) *journal.Journal {
	t.Helper()
	return journal.At(filepath.Join(t.TempDir(), "journal.db"))
}

func appended(t testing.TB, j *journal.Journal, b journal.Batch) {
	t.Helper()
	require.NoError(t, j.Append(context.Background(), b))
}

func records(t testing.TB, j *journal.Journal, session string) []journal.Record {
	t.Helper()
	var all []journal.Record
	for r, err := range j.Records(context.Background(), digestOf(session)) {
		require.NoError(t, err)
		all = append(all, r)
	}
	return all
}
