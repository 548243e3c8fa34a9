package admin

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is under way at once fits into the descriptors that there may be, and something is.
func TestWidthsFitTheDescriptors(t *testing.T) {
	for n := uint64(0); n < 9000; n++ {
		w := widthsWithin(n)
		require.Positive(t, w.survey)
		require.Positive(t, w.batch)
		require.Positive(t, w.commits)
		if n >= 2*descriptorsBeside {
			require.LessOrEqual(t, uint64(descriptorsBeside+w.batch+w.commits*descriptorsEach), n)
		}
	}
	require.Equal(t, widths{surveyWidth, batchWidth, commitWidth}, widthsWithin(8192))
	require.Equal(t, widths{surveyWidth, batchWidth, commitWidth}, widthsWithin(1<<64-1)) // no limit
}
