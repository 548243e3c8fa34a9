package procid

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScannerShowsWhatWasThereBefore: however busy the scanner is, a process that started before the call is in the scan,
// and one that ended before the call is not.
func TestScannerShowsWhatWasThereBefore(t *testing.T) {
	var s Scanner
	busy, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	for range 4 {
		others.Go(func() {
			for busy.Err() == nil {
				_, _ = s.Next(busy)
			}
		})
	}
	for i := range 10 {
		id := fmt.Sprintf("%032x", i+0x5ca11)
		p, process := carrying(t, id)
		before, err := s.Next(ctx)
		require.NoError(t, err)
		require.Equal(t, []Process{process}, before.WithOperation(id, 0))
		p.end()
		after, err := s.Next(ctx)
		require.NoError(t, err)
		require.Empty(t, after.WithOperation(id, 0))
	}
	stop()
	others.Wait()
}
