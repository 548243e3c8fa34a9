package etcdstore

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/internal/etcdtest"
	"holdfast/internal/testkit"
)

const (
	hang = 60 * time.Second // bounds waits that end soon unless something is broken
	tick = 10 * time.Millisecond

	atOnce = 16 // tests, most of which wait
)

func TestMain(m *testing.M) {
	testkit.PrepareChildren()
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role, os.Args[1:]))
	}
	testkit.WaitTogether(atOnce)
	code := m.Run()
	etcdtest.EndShared()
	os.Exit(code)
}

var prefixes atomic.Int64

// configOn names a fresh store on a server.
func configOn(s *etcdtest.Server) Config {
	return Config{Endpoints: []string{s.Address}, Prefix: fmt.Sprintf("test/%d", prefixes.Add(1)), TTL: DefaultTTL, answerWithin: hang / 2}
}

// newStore returns a store of its own on the shared server.
func newStore(t testing.TB) *Store {
	t.Helper()
	return openStore(t, configOn(etcdtest.Shared(t)))
}

func openStore(t testing.TB, c Config) *Store {
	t.Helper()
	s, err := Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() }) // some were closed by their test
	return s
}

// rawClient knows nothing of stores.
func rawClient(t testing.TB, endpoints ...string) *clientv3.Client {
	t.Helper()
	c, err := connect(Config{Endpoints: endpoints, answerWithin: hang / 2})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}
