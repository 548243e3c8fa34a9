package main

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

const straceTable = `% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ------------------
 40.50    0.004940          98        50           fsync
 12.45    0.001519           3       416        22 newfstatat
  2.84    0.000347          86         4           fdatasync
------ ----------- ----------- --------- --------- ------------------
100.00    0.012198           5       470        22 total
`

func TestCallsInTheTableOfStrace(t *testing.T) {
	counted, err := countedIn(straceTable)
	require.NoError(t, err)
	require.Equal(t, calls{All: 470, Syncs: 54}, counted)
	_, err = countedIn("strace: nothing of the kind\n")
	require.Error(t, err)
}

func TestWhatComesOnceIsNotCounted(t *testing.T) {
	counted, err := callsEach(10, 60, func(n int) (calls, error) { return calls{All: 500 + 182*n, Syncs: 2 + 4*n}, nil })
	require.NoError(t, err)
	require.Equal(t, calls{182, 4}, counted)
	one, err := each(10, 60, func(n int) (int, error) { return 7 + n*3 + n%7, nil }) // nearly 3
	require.NoError(t, err)
	require.Equal(t, 3, one)
}

func TestAToolThatCountsFailsNothingByItsAbsence(t *testing.T) {
	none := func() (calls, error) { return calls{}, missingError("no strace") }
	c, err := counts{Allocated: 3}.with(none, none)
	require.NoError(t, err)
	require.Equal(t, "not counted: no strace", c.calls())
	require.Equal(t, "3", c.allocations())

	wrong := errors.New("the command failed below strace")
	_, err = counts{}.with(func() (calls, error) { return calls{}, wrong }, none)
	require.ErrorIs(t, err, wrong)
}

func TestAllocationsOfAPiece(t *testing.T) {
	var kept [][]byte
	n, err := allocatedEach(1000, func() error {
		kept = make([][]byte, 1000)
		for i := range kept {
			kept[i] = make([]byte, 100)
		}
		return nil
	})
	require.NoError(t, err)
	require.Len(t, kept, 1000)
	require.Equal(t, 1, n)
}
