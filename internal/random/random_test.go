package random_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"holdfast/internal/random"
)

func TestNoTwoAreAlike(t *testing.T) {
	seen := map[[16]byte]bool{}
	for range 1000 {
		var b [16]byte
		random.Read(b[:])
		assert.False(t, seen[b], "%x came twice", b)
		seen[b] = true
	}
}

// TestAllIsFilled holds that no byte is left: one stays zero 64 times in a row never.
func TestAllIsFilled(t *testing.T) {
	for _, size := range []int{0, 1, 16, 255, 256, 257, 1 << 16} {
		filled := make([]byte, size)
		for range 64 {
			b := make([]byte, size)
			random.Read(b)
			for i := range b {
				filled[i] |= b[i]
			}
		}
		assert.NotContains(t, filled, byte(0), "%d bytes", size)
	}
}
