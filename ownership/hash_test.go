package ownership_test

import (
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
	"lukechampine.com/blake3"

	"holdfast/ownership"
)

// However many chunks there are, the revision is the hash.
func TestRevisionIsTheHash(t *testing.T) {
	b := make([]byte, 20<<10)
	rand.New(rand.NewSource(1)).Read(b)
	for chunks := range 20 {
		for _, more := range []int{0, 1, 2, 63, 64, 65, 512, 1023} {
			some := b[:chunks<<10+more]
			require.EqualValues(t, blake3.Sum256(some), ownership.RevisionOf(some), "%d chunks and %d bytes", chunks, more)
		}
	}
}
