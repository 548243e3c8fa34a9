package durable

import (
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// medium is a disk that keeps of each writer what was written last when a sync began.
type medium struct {
	mu      sync.Mutex
	written map[int]int
	durable map[int]int
	rounds  int
	alone   int
}

func (m *medium) write(who, what int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.written[who] = what
}

// whole makes durable what was written before it began, and takes its time.
func (m *medium) whole() error {
	m.mu.Lock()
	m.rounds++
	before := map[int]int{}
	for who, what := range m.written {
		before[who] = what
	}
	m.mu.Unlock()
	time.Sleep(time.Millisecond)
	m.mu.Lock()
	defer m.mu.Unlock()
	for who, what := range before {
		m.durable[who] = max(m.durable[who], what)
	}
	return nil
}

func (m *medium) own(who int) func() error {
	return func() error {
		m.mu.Lock()
		what := m.written[who]
		m.alone++
		m.mu.Unlock()
		time.Sleep(time.Millisecond)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.durable[who] = max(m.durable[who], what)
		return nil
	}
}

func (m *medium) has(who, what int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.durable[who] >= what
}

func TestEachIsDurableWhenItReturnsFromASharedWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const writers, times = 100, 20
		m := &medium{written: map[int]int{}, durable: map[int]int{}}
		r := &Rounds{whole: m.whole, longest: longRound}
		var all sync.WaitGroup
		for who := range writers {
			all.Go(func() {
				chance := rand.New(rand.NewPCG(1, uint64(who)))
				for what := 1; what <= times; what++ {
					time.Sleep(time.Duration(chance.IntN(3000)) * time.Microsecond)
					m.write(who, what)
					require.NoError(t, r.sync(m.own(who)))
					require.True(t, m.has(who, what), "writer %d, time %d", who, what)
				}
			})
		}
		all.Wait()
		require.Less(t, m.rounds+m.alone, writers*times/4, "waits were hardly shared")
		require.Positive(t, m.rounds)
	})
}

func TestAFewWaitForTheirOwnFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &medium{written: map[int]int{}, durable: map[int]int{}}
		r := &Rounds{whole: m.whole, longest: longRound}
		for range 3 {
			var all sync.WaitGroup
			for who := range few {
				all.Go(func() { require.NoError(t, r.sync(m.own(who))) })
			}
			all.Wait()
		}
		require.Zero(t, m.rounds)
		require.Equal(t, 3*few, m.alone)
	})
}

// roundTime is what a round takes in the tests.
const roundTime = 10 * time.Millisecond

// crowd has a first round under way, has so many ask for the second, more of them while
// that is under way, and returns what they were told and how many waited for their own
// file.
func crowd(r *Rounds, second, third int) (told []error, alone int) {
	var all sync.WaitGroup
	var mu sync.Mutex
	own := 0
	ask := func() {
		err := r.sync(func() error { mu.Lock(); own++; mu.Unlock(); time.Sleep(time.Hour); return nil })
		mu.Lock()
		defer mu.Unlock()
		told = append(told, err)
	}
	begin := func(n int) {
		for range n {
			all.Go(ask)
		}
		synctest.Wait()
	}
	begin(few)
	begin(1)
	begin(second)
	time.Sleep(roundTime * 3 / 2)
	begin(third)
	all.Wait()
	return told, own
}

func failed(told []error, want error) (n int) {
	for _, err := range told {
		if err != nil && errors.Is(err, want) {
			n++
		}
	}
	return n
}

func TestAnErrorIsToldToAllOfItsRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := 0
		r := &Rounds{longest: longRound, whole: func() error {
			began++
			time.Sleep(roundTime)
			if began == 1 {
				return nil
			}
			return os.NewSyscallError("syncfs", unix.EIO)
		}}
		told, alone := crowd(r, 10, 7)
		require.Equal(t, 2, began, "a third round would not tell what the second one told")
		require.Equal(t, 10, failed(told, unix.EIO), "those of the second round")
		require.Equal(t, few+7, alone, "who came later asks for its own file")

		told, alone = crowd(r, 50, 0)
		require.Zero(t, failed(told, unix.EIO))
		require.Equal(t, few+1+50, alone, "and so does everybody from then on")
		require.Equal(t, 2, began)
	})
}

func TestWhereASandboxRefusesEachWaitsForItsOwnFile(t *testing.T) {
	for _, refusal := range []error{unix.ENOSYS, unix.EPERM} {
		synctest.Test(t, func(t *testing.T) {
			r := &Rounds{longest: longRound, whole: func() error {
				time.Sleep(roundTime)
				return os.NewSyscallError("syncfs", refusal)
			}}
			told, alone := crowd(r, 10, 7)
			require.Zero(t, failed(told, refusal))
			require.Equal(t, few+1+17, alone)
		})
	}
}

func TestALongRoundIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := 0
		r := &Rounds{longest: roundTime / 2, whole: func() error { began++; time.Sleep(roundTime); return nil }}
		told, alone := crowd(r, 10, 7)
		require.Len(t, told, few+1+17)
		require.Equal(t, 1, began)
		require.Equal(t, few+17, alone)
	})
}
