package journal_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/journal"
	"holdfast/ownership"
)

// many is how much history a large store has.
const many = 100_000

// BenchmarkOpenHistory asks for the first record of one session in a large journal,
// for its highest generation, and for the whole of a long one.
func BenchmarkOpenHistory(b *testing.B) {
	for name, fill := range map[string]func(testing.TB, *journal.Journal) string{
		"one-session": oneSession, "many-sessions": manySessions,
	} {
		j := newJournal(b)
		session := fill(b, j)
		info, err := os.Stat(j.Path())
		require.NoError(b, err)
		d := digestOf(session)
		b.Run(name+"/first-batch", func(b *testing.B) {
			for b.Loop() {
				for _, err := range j.Records(context.Background(), d) {
					require.NoError(b, err)
					break
				}
			}
			b.ReportMetric(float64(info.Size())/(1<<20), "file-MiB")
		})
		b.Run(name+"/highest", func(b *testing.B) {
			for b.Loop() {
				_, err := j.Highest(context.Background(), d)
				require.NoError(b, err)
			}
		})
		b.Run(name+"/whole", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				readAll(b, j, d)
			}
		})
		b.Run(name+"/append", func(b *testing.B) {
			n := uint64(many)
			for b.Loop() {
				appended(b, j, journal.Batch{Records: chain(session, n, 1)})
				n++
			}
		})
	}
}

func readAll(b *testing.B, j *journal.Journal, d ownership.Digest) {
	n := 0
	for _, err := range j.Records(context.Background(), d) {
		require.NoError(b, err)
		if n++; n == many/2 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapInuse)/(1<<20), "heap-MiB")
		}
	}
}

func oneSession(b testing.TB, j *journal.Journal) string {
	const session, step = "long", 5000
	for n := uint64(0); n < many; n += step {
		appended(b, j, journal.Batch{Records: chain(session, n, step)})
	}
	return session
}

func manySessions(b testing.TB, j *journal.Journal) string {
	var batch journal.Batch
	for n := range many {
		batch.Records = append(batch.Records, record(strconv.Itoa(n), 0))
		if len(batch.Records) == 5000 {
			appended(b, j, batch)
			batch.Records = nil
		}
	}
	return strconv.Itoa(many / 2)
}
