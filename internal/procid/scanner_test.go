package procid

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// clocked is a scanner whose scans last a second, each noting when it began in EnvironUnreadable (milliseconds).
func clocked(count *int) *Scanner {
	zero := time.Now()
	return &Scanner{scan: func(context.Context) (*Scan, error) {
		*count++
		s := &Scan{EnvironUnreadable: int(time.Since(zero).Milliseconds())}
		time.Sleep(time.Second)
		return s, nil
	}}
}

func TestScannerBeginsAfterTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count int
		s, zero := clocked(&count), time.Now()
		var callers sync.WaitGroup
		for i := range 100 {
			callers.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				called := int(time.Since(zero).Milliseconds())
				got, err := s.Next(t.Context())
				require.NoError(t, err)
				require.GreaterOrEqual(t, got.EnvironUnreadable, called)
			})
		}
		callers.Wait()
		require.LessOrEqual(t, count, 12, "ten seconds of calls, a scan a second")
	})
}

func TestScannerShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count int
		s := clocked(&count)
		var callers sync.WaitGroup
		for range 256 {
			callers.Go(func() {
				for range 40 {
					_, err := s.Next(t.Context())
					require.NoError(t, err)
				}
			})
		}
		callers.Wait()
		require.LessOrEqual(t, count, 82, "10,240 calls, 256 at once")
	})
}

func TestScannerCallerCanLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count int
		s := clocked(&count)
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var other sync.WaitGroup
		other.Go(func() {
			_, err := s.Next(t.Context())
			require.NoError(t, err, "one caller's end is not another's")
		})
		_, err := s.Next(short)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = s.Next(short)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		other.Wait()
	})
}

func TestScannerSharesErrors(t *testing.T) {
	broken := errors.New("broken")
	s := &Scanner{scan: func(context.Context) (*Scan, error) { return nil, broken }}
	_, err := s.Next(t.Context())
	require.ErrorIs(t, err, broken)
}
