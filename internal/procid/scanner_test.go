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

// A look that had begun by the moment may have missed what was there then.
func TestSinceAMomentBeginsAfterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count int
		s, zero := clocked(&count), time.Now()
		_, err := s.Next(t.Context())
		require.NoError(t, err)
		for range 3 {
			moment, asked := s.Now(), int(time.Since(zero).Milliseconds())
			for range 2 { // the second needs no look of its own
				got, err := s.Since(t.Context(), moment)
				require.NoError(t, err)
				require.GreaterOrEqual(t, got.EnvironUnreadable, asked)
			}
		}
		require.Equal(t, 4, count)
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

// What ended already serves whoever asks since a moment before it began, and nobody else.
func TestScannerSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var count int
		s := clocked(&count)
		before := s.Now()
		first, err := s.Since(t.Context(), before)
		require.NoError(t, err)
		again, err := s.Since(t.Context(), before)
		require.NoError(t, err)
		require.Same(t, first, again)
		require.Equal(t, 1, count)

		under := make(chan *Scan, 1)
		go func() {
			got, _ := s.Next(t.Context())
			under <- got
		}()
		time.Sleep(time.Second / 2) // the second scan is under way
		after := s.Now()
		second, err := s.Since(t.Context(), after)
		require.NoError(t, err)
		require.NotSame(t, first, second)
		require.NotSame(t, <-under, second, "it began before the moment")
	})
}

func TestScannerSinceKeepsNoFailure(t *testing.T) {
	broken, works := errors.New("broken"), &Scan{}
	s := &Scanner{scan: func(context.Context) (*Scan, error) { return nil, broken }}
	before := s.Now()
	_, err := s.Since(t.Context(), before)
	require.ErrorIs(t, err, broken)
	s.scan = func(context.Context) (*Scan, error) { return works, nil }
	got, err := s.Since(t.Context(), before)
	require.NoError(t, err)
	require.Same(t, works, got)
}
