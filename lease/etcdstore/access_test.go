package etcdstore

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/internal/etcdtest"
	"holdfast/lease"
)

// requireUsable acquires and releases, and waits for nothing.
func requireUsable(t *testing.T, s *Store) {
	t.Helper()
	l, err := lease.Acquire(t.Context(), s, keyOf(t, "web/42"), lease.Owner{Kind: "test"})
	require.NoError(t, err)
	require.NoError(t, l.Release(t.Context()))
}

// requireRefused holds that a wrong way in is told for what it is, soon.
func requireRefused(t *testing.T, c Config, kind error, says string) {
	t.Helper()
	t.Run(says, func(t *testing.T) {
		t.Parallel()
		s := openStore(t, c)
		began := time.Now()
		_, err := lease.Acquire(t.Context(), s, keyOf(t, "web/42"), lease.Owner{Kind: "test"})
		require.Less(t, time.Since(began), hang/2)
		require.ErrorIs(t, err, kind)
		var about *lease.StoreError
		require.True(t, errors.As(err, &about))
		require.Contains(t, about.Error()+"\n"+about.Advice, says)
		require.NotContains(t, about.Error()+about.Advice, "secret")
	})
}

func TestTLS(t *testing.T) {
	t.Parallel()
	ours, stranger := newAuthority(t, "ca"), newAuthority(t, "ca")
	ours.leaf(t, "server")
	ours.leaf(t, "client")
	stranger.leaf(t, "client")
	server := etcdtest.Start(t, "--cert-file="+ours.file("server.crt"), "--key-file="+ours.file("server.key"),
		"--trusted-ca-file="+ours.file("ca.crt"), "--client-cert-auth")
	good := configOn(server)
	good.TLS = Files{CA: ours.file("ca.crt"), Cert: ours.file("client.crt"), Key: ours.file("client.key")}
	requireUsable(t, openStore(t, good))

	plain := good
	plain.TLS = Files{}
	requireRefused(t, plain, lease.ErrStoreUnavailable, "it wants TLS: set HOLDFAST_ETCD_CACERT")
	otherServer := good
	otherServer.TLS.CA = stranger.file("ca.crt")
	requireRefused(t, otherServer, lease.ErrStoreUnavailable, "certificate signed by unknown authority")
	otherClient := good
	otherClient.TLS.Cert, otherClient.TLS.Key = stranger.file("client.crt"), stranger.file("client.key")
	requireRefused(t, otherClient, lease.ErrStoreUnavailable, "it does not take our certificate")

	toPlain := configOn(etcdtest.Shared(t))
	toPlain.TLS = good.TLS
	requireRefused(t, toPlain, lease.ErrStoreUnavailable, "it does not speak TLS")
}

// The role that the manual describes is enough, and touches nothing beyond the prefix.
func TestUserWithTheDocumentedRole(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	c := configOn(server)
	root := rawClient(t, server.Address)
	ctx := t.Context()
	_, err := root.RoleAdd(ctx, "holdfast")
	require.NoError(t, err)
	_, err = root.RoleGrantPermission(ctx, "holdfast", c.Prefix+"/", clientv3.GetPrefixRangeEnd(c.Prefix+"/"), clientv3.PermissionType(clientv3.PermReadWrite))
	require.NoError(t, err)
	for _, user := range []struct{ name, role string }{{"root", "root"}, {"agent", "holdfast"}} {
		_, err = root.UserAdd(ctx, user.name, "secret")
		require.NoError(t, err)
		if user.role == "root" {
			_, err = root.RoleAdd(ctx, "root")
			require.NoError(t, err)
		}
		_, err = root.UserGrantRole(ctx, user.name, user.role)
		require.NoError(t, err)
	}
	_, err = root.AuthEnable(ctx)
	require.NoError(t, err)

	c.Username, c.Password = "agent", "secret"
	s := openStore(t, c)
	requireUsable(t, s)
	requireAnotherToken(t, s, server.Address)
	for d, err := range s.List(ctx) {
		require.NoError(t, err)
		require.Equal(t, keyOf(t, "web/42").Digest(), d)
	}
	checks, err := s.Examine(ctx)
	require.NoError(t, err)
	for _, check := range checks {
		require.False(t, check.Problem, "%+v", check)
	}
	require.NoError(t, s.Close())

	beyond := c
	beyond.Prefix = "elsewhere"
	requireRefused(t, beyond, lease.ErrPermission, `granted readwrite on the prefix "elsewhere/"`)
	wrong := c
	wrong.Password = "not the secret"
	requireRefused(t, wrong, lease.ErrPermission, UserVariable)
	nobody := c
	nobody.Username, nobody.Password = "", ""
	requireRefused(t, nobody, lease.ErrPermission, "this cluster wants a user")
}

// requireAnotherToken holds that an owner releases after its token ended, as each does when
// it is not used for a while. A password that is set ends them at once.
func requireAnotherToken(t *testing.T, s *Store, address string) {
	t.Helper()
	l, err := lease.Acquire(t.Context(), s, keyOf(t, "web/42"), lease.Owner{Kind: "test"})
	require.NoError(t, err)
	root, err := clientv3.New(clientv3.Config{Endpoints: []string{address}, Username: "root", Password: "secret"})
	require.NoError(t, err)
	defer root.Close()
	_, err = root.UserChangePassword(t.Context(), s.config.Username, s.config.Password)
	require.NoError(t, err)
	require.NoError(t, l.Release(t.Context()))
	requireUsable(t, s)
}

// Where nobody listens, where nobody answers, and where another one does.
func TestWrongEndpoints(t *testing.T) {
	t.Parallel()
	c := configOn(etcdtest.Shared(t))
	some := c
	some.Endpoints = append([]string{"127.0.0.1:1"}, c.Endpoints...)
	requireUsable(t, openStore(t, some))

	closed := c
	closed.Endpoints = []string{"127.0.0.1:1"}
	requireRefused(t, closed, lease.ErrStoreUnavailable, "connection refused")
	all := closed
	all.Endpoints = []string{"127.0.0.1:1", "127.0.0.1:2", "no-such-host.invalid:2379"}
	requireRefused(t, all, lease.ErrStoreUnavailable, errClosedDoors.Error())
	withPassword := closed
	withPassword.Username, withPassword.Password = "ana", "secret"
	requireRefused(t, withPassword, lease.ErrStoreUnavailable, errClosedDoors.Error())
	silent := c
	silent.answerWithin = time.Second
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	silent.Endpoints = []string{l.Addr().String()}
	requireRefused(t, silent, lease.ErrStoreUnavailable, "no answer from the cluster")
	unknown := c
	unknown.Endpoints = []string{"no-such-host.invalid:2379"}
	requireRefused(t, unknown, lease.ErrStoreUnavailable, "no-such-host.invalid")
}

func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"etcd://h1":                   "etcd://h1:2379/holdfast",
		"etcd://h2:1,h1/a/b/":         "etcd://h1:2379,h2:1/a/b",
		"etcd://[::1]:2379/p?ttl=30s": "etcd://[::1]:2379/p?ttl=30s",
		"etcd://h1,h1/p?ttl=10s":      "etcd://h1:2379/p",
	} {
		c, err := ParseAddress(address)
		require.NoError(t, err, address)
		require.Equal(t, want, c.Address(), address)
		again, err := ParseAddress(c.Address())
		require.NoError(t, err)
		require.Equal(t, c, again)
	}
	for _, address := range []string{
		"etcd://", "etcd:///p", "etcd://h1,,h2/p", "etcd://h1/p?ttl=1s", "etcd://h1/p?ttl=2h", "etcd://h1/p?ttl=2500ms",
		"etcd://h1/p?ttl=x", "etcd://h1/p?user=x", "etcd://h1/a b", "http://h1/p", "etcd://ana:secret@h1/p",
		"http://ana:secret@h1/p", "etcd://h1/p?password=secret", "etcd://::1/p", "etcd://::1:2379/p", "etcd://h1:0/p", "etcd://h1:99999/p",
		"etcd:// h1/p", "etcd://h1:2379#x/p", "etcd://h1%20x/p",
	} {
		_, err := ParseAddress(address)
		require.ErrorIs(t, err, lease.ErrStoreUnavailable, address)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestEnvironment(t *testing.T) {
	ca := newAuthority(t, "ca")
	ca.leaf(t, "client")
	password := filepath.Join(t.TempDir(), "password")
	require.NoError(t, os.WriteFile(password, []byte("secret\n"), 0o600))
	from := func(set map[string]string) (Config, error) {
		var c Config
		err := c.SetEnvironment(func(name string) string { return set[name] })
		return c, err
	}
	c, err := from(map[string]string{
		UserVariable: "ana", PasswordFileVariable: password,
		CAVariable: ca.file("ca.crt"), CertVariable: ca.file("client.crt"), KeyVariable: ca.file("client.key"),
	})
	require.NoError(t, err)
	require.Equal(t, "secret", c.Password)
	for _, wrong := range []map[string]string{
		{PasswordVariable: "secret"},
		{UserVariable: "ana"},
		{PasswordFileVariable: password + ".not"},
		{CAVariable: password},
		{CertVariable: ca.file("client.crt")},
		{CertVariable: ca.file("client.crt"), KeyVariable: password},
	} {
		_, err := from(wrong)
		require.ErrorIs(t, err, lease.ErrStoreUnavailable, "%v", wrong)
		require.NotContains(t, err.Error(), "secret")
	}
}
