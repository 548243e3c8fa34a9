package gitwork_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

const nobody = 65534

// asNobody runs a role of the test binary as a user who owns nothing here, and returns what it said.
func asNobody(t *testing.T, role string, args ...string) (string, error) {
	t.Helper()
	if os.Geteuid() != 0 {
		testkit.Skip(t, "only root can become another user")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755))
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	binary := filepath.Join(dir, "role")
	shell(t, dir, `cp "$1" "$2"; chmod 755 "$2"`, self, binary)
	scratch := filepath.Join(dir, "tmp")
	require.NoError(t, os.Mkdir(scratch, 0o777))
	require.NoError(t, os.Chmod(scratch, 0o777))
	cmd := exec.Command(binary, args...)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), roleVariable+"="+role, "TMPDIR="+scratch, "HOME="+scratch, "GIT_CONFIG_GLOBAL=/dev/null")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// open lets everybody reach and read a tree.
func open(t *testing.T, dir string) {
	t.Helper()
	shell(t, dir, `chmod -R a+rX . ..`)
}

// Another owner's repository is read like any other: git asks no question about whose it is, and the flag that spares
// access times, which only an owner may use, is done without.
func TestAnotherOwnersRepository(t *testing.T) {
	needGit(t)
	dir, top := findKind(t, "normal").build(t)
	open(t, dir)
	before := fingerprint(t, dir)
	out, err := asNobody(t, roleCapture, top)
	require.NoError(t, err, out)
	require.Contains(t, out, "staged 1 untouched true restored")
	require.Equal(t, before, fingerprint(t, dir))
}

// What may not be read is named, with what to do, and nothing is captured without it.
func TestUnreadable(t *testing.T) {
	needGit(t)
	for _, script := range []string{"chmod 600 repo/new", "chmod 700 repo/d", "chmod 700 repo/.git/refs", "chmod 600 repo/.git/HEAD", "chmod 700 repo/.git", "chmod 700 repo"} {
		t.Run(script, func(t *testing.T) {
			dir, top := findKind(t, "normal").build(t)
			open(t, dir)
			shell(t, dir, script)
			out, err := asNobody(t, roleCapture, top)
			require.Error(t, err)
			require.Contains(t, out, "unreadable, next: run the command as the owner")
		})
	}
}
