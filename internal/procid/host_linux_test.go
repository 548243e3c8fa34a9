package procid

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"lukechampine.com/blake3"
)

func TestThisHost(t *testing.T) {
	host := ThisHost()
	name, err := os.Hostname()
	require.NoError(t, err)
	require.Equal(t, name, host.Name)
	require.NotNil(t, host.BootID)
	require.True(t, isUUID(*host.BootID))
	link, err := os.Readlink("/proc/self/ns/pid")
	require.NoError(t, err)
	require.Contains(t, link, itoa(int(*host.PIDNamespace)))
	require.Equal(t, host, ThisHost())
}

// TestHostIsReadAfresh renames a host under a running process, in a uts namespace of its own.
func TestHostIsReadAfresh(t *testing.T) {
	cmd := isolated(t, []string{"--uts"}, self(t).Path)
	var names []string
	start(t, "rename-host", cmd).read(t, &names)
	require.Equal(t, []string{"before", "after"}, names)
}

func TestMachineID(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "machine-id"), filepath.Join(dir, "dbus")
	before := machineIDFiles
	t.Cleanup(func() { machineIDFiles = before })
	machineIDFiles = []string{first, second}
	require.Nil(t, hashedID(machineID()), "missing")
	for _, useless := range []string{"", "\n", "uninitialized\n"} {
		require.NoError(t, os.WriteFile(first, []byte(useless), 0o600))
		require.Nil(t, hashedID(machineID()))
	}
	require.NoError(t, os.WriteFile(second, []byte("3d1219c7\n"), 0o600))
	sum := blake3.Sum256([]byte("3d1219c7"))
	require.Equal(t, hex.EncodeToString(sum[:]), *hashedID(machineID()))
	require.NoError(t, os.WriteFile(first, []byte("ffff\n"), 0o600))
	require.Equal(t, "ffff", machineID())
}

func TestUserName(t *testing.T) {
	require.NotEmpty(t, UserName())
	const passwd = "# comment\n+::::::\nroot:x:0:0:root:/root:/bin/sh\nana:x:1000:1000::/home/ana:/bin/sh\nbob:x:1000:1:::\n"
	require.Equal(t, "ana", loginName(passwd, "1000"))
	require.Equal(t, "root", loginName(passwd, "0"))
	require.Empty(t, loginName(passwd, "7"))
	require.Empty(t, loginName("", "0"))
}
