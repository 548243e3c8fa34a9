package lease_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// play is what another process does: acquire, say so, and release at the end of its
// standard input.
func play(role string) int {
	s, err := dirstore.Open(os.Getenv("LEASE_TEST_STORE"), dirstore.Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	k, err := ownership.ParseKey(os.Getenv("LEASE_TEST_KEY"))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	switch role {
	case "hold":
		return hold(s, k)
	case "cycle":
		return cycle(s, k)
	}
	return 1
}

func hold(s lease.Store, k ownership.Key) int {
	l, err := lease.Acquire(context.Background(), s, k, lease.Owner{})
	if err != nil {
		fmt.Println("refused")
		return 75
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	if err := l.Release(context.Background()); err != nil {
		return 1
	}
	return 0
}

// cycles is how often a process acquires and releases in its turn.
func cycles() int { return testkit.Rounds(8, 50) }

// cycle acquires and releases so often, whatever others do meanwhile.
func cycle(s lease.Store, k ownership.Key) int {
	for done := 0; done < cycles(); {
		l, err := lease.Acquire(context.Background(), s, k, lease.Owner{})
		if err != nil {
			continue
		}
		if err := l.Release(context.Background()); err != nil {
			fmt.Println(err)
			return 1
		}
		done++
	}
	return 0
}

func process(t testing.TB, dir, role, name string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), "LEASE_TEST_ROLE="+role, "LEASE_TEST_STORE="+dir, "LEASE_TEST_KEY="+name)
	return c
}

// holder starts a process that holds a session, and returns when it does.
func holder(t testing.TB, dir, name string) (c *exec.Cmd, release io.Closer) {
	t.Helper()
	c = process(t, dir, "hold", name)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "held\n", line)
	return c, in
}

func TestKilledOwnerStrandsAndNothingButAPersonFreesIt(t *testing.T) {
	s, dir := newStore(t)
	c, _ := holder(t, dir, "k")
	require.Equal(t, ownership.StateHeld, inspect(t, s, "k").State)
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	require.Equal(t, ownership.StateStranded, inspect(t, s, "k").State)
	before := fingerprint(t, dir)
	_, err := lease.Acquire(t.Context(), s, key(t, "k"), lease.Owner{})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonRecoveryRequired, refusal.Reason)
	require.Equal(t, before, fingerprint(t, dir)) // I8
}

func TestManyProcessesOwnOneAfterAnother(t *testing.T) {
	s, dir := newStore(t)
	const processes = 4
	var all sync.WaitGroup
	for range processes {
		all.Go(func() {
			out, err := process(t, dir, "cycle", "k").CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	require.Equal(t, ownership.Generation(processes*cycles()), inspect(t, s, "k").Record.Generation, "every acquisition is one generation") // I2, I6
	var chain int
	for _, err := range s.Past(t.Context(), key(t, "k").Digest()) {
		require.NoError(t, err)
		chain++
	}
	require.Equal(t, 2*processes*cycles()-1, chain) // I11
}

func TestRecordThatNamesThisVeryPidIsNotMine(t *testing.T) {
	s, dir := newStore(t)
	c, _ := holder(t, dir, "k")
	require.NoError(t, c.Process.Kill())
	require.Error(t, c.Wait())
	i := inspect(t, s, "k")
	r := *i.Record
	owner := *r.Owner
	owner.PID = os.Getpid() // reused: the start ticks are still the dead owner's
	r.Owner = &owner
	b, err := ownership.Encode(r)
	require.NoError(t, err)
	session := filepath.Join(dir, "sessions", r.KeyDigest.String())
	for _, name := range []string{"record.json", "rev." + ownership.RevisionOf(b).String() + ".json"} {
		require.NoError(t, os.WriteFile(filepath.Join(session, name), b, 0o600))
	}
	require.Equal(t, ownership.StateStranded, inspect(t, s, "k").State)
	_, err = lease.Acquire(t.Context(), s, key(t, "k"), lease.Owner{})
	var refusal *lease.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, ownership.ReasonRecoveryRequired, refusal.Reason)
}
