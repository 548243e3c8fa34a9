package main

import (
	"errors"
	"strconv"
	"strings"
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
	all, syncs, err := countedIn(straceTable)
	require.NoError(t, err)
	require.Equal(t, []int{470, 54}, []int{all, syncs})
	_, _, err = countedIn("strace: nothing of the kind\n")
	require.Error(t, err)
}

// tolled is a measure of a worker that takes so much for its start and for each piece.
func tolled(start, piece float64) measure {
	return func(c command) ([]float64, error) {
		n, err := strconv.ParseFloat(strings.TrimSpace(c.input), 64)
		return []float64{start + n*piece, start}, err
	}
}

func TestWhatComesOnceIsNotThePieces(t *testing.T) {
	each, err := workOf(1, "worker").each(tolled(500, 182))
	require.NoError(t, err)
	require.Equal(t, []float64{182, 0}, each)
	each, err = workOf(2, "worker").each(tolled(500, 6))
	require.NoError(t, err)
	require.Equal(t, []float64{12, 0}, each, "two of its pieces are one")
}

func TestACommandIsAPieceFromItsStartOn(t *testing.T) {
	each, err := startOf(command{input: "1"}).each(tolled(500, 182))
	require.NoError(t, err)
	require.Equal(t, []float64{682, 500}, each)
}

func TestAMeasureThatFailsIsNoToll(t *testing.T) {
	broken := errors.New("broken")
	_, err := workOf(1, "worker").each(func(command) ([]float64, error) { return nil, broken })
	require.ErrorIs(t, err, broken)
}

func TestProcessorTimeIsThatOfAllThatACommandStarts(t *testing.T) {
	spent, err := command{argv: []string{"sh", "-c", "cat; true"}, input: "x"}.spent()
	require.NoError(t, err)
	require.Positive(t, spent[0])
	_, err = command{argv: []string{"sh", "-c", "echo why >&2; exit 3"}}.spent()
	require.ErrorContains(t, err, "why")
}
