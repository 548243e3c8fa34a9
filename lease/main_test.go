package lease_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

// TestMain lets the test binary play other processes.
func TestMain(m *testing.M) {
	if role := os.Getenv("LEASE_TEST_ROLE"); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

func newStore(t testing.TB) (lease.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "store")
	return openStore(t, dir), dir
}

func openStore(t testing.TB, dir string) lease.Store {
	t.Helper()
	s, err := dirstore.Open(dir, dirstore.Options{})
	require.NoError(t, err)
	return s
}

func key(t testing.TB, name string) ownership.Key {
	t.Helper()
	k, err := ownership.ParseKey(name)
	require.NoError(t, err)
	return k
}

func acquire(t testing.TB, s lease.Store, name string, o lease.Owner) *lease.Lease {
	t.Helper()
	l, err := lease.Acquire(context.Background(), s, key(t, name), o)
	require.NoError(t, err)
	return l
}

func inspect(t testing.TB, s lease.Store, name string) lease.Inspection {
	t.Helper()
	i, err := lease.Inspect(context.Background(), s, key(t, name).Digest())
	require.NoError(t, err)
	return i
}

// fingerprint covers every name, mode, inode change and byte below dir.
func fingerprint(t testing.TB, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			sum.Write(b)
			return err
		}
		return nil
	})
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}
