package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// somebody is a user other than root who need not be known to the system.
const somebody = 54321

// storeOf makes a store of somebody's with one stranded session K, and returns the
// directory around it.
func storeOf(t *testing.T, uid uint32) (home, store string) {
	t.Helper()
	if os.Geteuid() != 0 {
		testkit.Skip(t, "only root can become somebody else")
	}
	home, err := os.MkdirTemp("/tmp", "holdfast-owner-")
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	require.NoError(t, os.Chmod(home, 0o755))
	store = filepath.Join(home, "store")
	require.NoError(t, os.Mkdir(store, 0o700))
	require.NoError(t, os.Chown(store, int(uid), int(uid)))
	c := exec.Command(reachable(t, home, "holder"), "K")
	c.Args[0] = "holder"
	c.Env = append(os.Environ(), "HOLDFAST_STORE="+store, "HOME="+home)
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool {
		return session(t, home, "--store", store, "assert", "K", "held").code == 0
	}, patience, pollEvery)
	require.NoError(t, c.Process.Kill())
	_ = c.Wait()
	return home, store
}

// reachable copies a program to where anybody can execute it.
func reachable(t *testing.T, dir, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	to := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(to, b, 0o755))
	return to
}

// Root administers somebody's store as that somebody: nothing in it becomes root's.
func TestRootBecomesTheStoresOwner(t *testing.T) {
	home, store := storeOf(t, somebody)
	r := session(t, home, "--store", store, "--json", "inspect", "K")
	require.Zero(t, r.code, r.stdout)
	var i struct{ Revision string }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &i))

	r = session(t, home, "--store", store, "--json", "recover", "K", "--expect", i.Revision, "--force")
	require.Zero(t, r.code, r.stdout)
	var receipt struct{ Actor string }
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &receipt))
	require.Contains(t, receipt.Actor, "root@", "it was root's decision")

	require.NoError(t, filepath.WalkDir(store, func(path string, e os.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		require.EqualValues(t, somebody, info.Sys().(*syscall.Stat_t).Uid, path)
		return nil
	}))
}

// What only root may read stays unread: a link in somebody's store is not followed
// with root's rights, and groups of root's are gone.
func TestRootIsGivenUpForGood(t *testing.T) {
	home, store := storeOf(t, somebody)
	c := exec.Command("identity")
	c.Env = append(os.Environ(), "HOLDFAST_STORE="+store, "HOME="+home)
	out, err := c.Output()
	require.NoError(t, err)
	require.Equal(t, "54321 54321 54321 54321 [54321] operation not permitted\n", string(out))
}

func TestRootRunsNothingInSomebodysStore(t *testing.T) {
	home, store := storeOf(t, somebody)
	r := session(t, home, "--store", store, "run", "L", "--", "true")
	require.Equal(t, 77, r.code, r.stderr)
	require.Contains(t, r.stderr, "54321")
	require.Equal(t, 0, session(t, home, "--store", store, "assert", "L", "vacant").code)
}

// identity opens the store as an admin command does and prints who it is then.
func identity() {
	_, err := (&invocation{}).openStore(becomeOwner)
	must(err)
	groups, err := os.Getgroups()
	must(err)
	fmt.Println(os.Getuid(), os.Geteuid(), os.Getgid(), os.Getegid(), groups, syscall.Setuid(0))
}
