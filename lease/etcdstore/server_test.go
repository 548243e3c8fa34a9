package etcdstore

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/internal/testkit"
)

const (
	hang = 60 * time.Second // bounds waits that end soon unless something is broken
	tick = 10 * time.Millisecond
)

// server is an etcd of the tests' own.
type server struct {
	cmd     *exec.Cmd
	dir     string
	client  string // HOST:PORT
	peer    string
	options []string
}

// shared is the server of every test that does not need one of its own.
var shared *server

func TestMain(m *testing.M) {
	testkit.PrepareChildren()
	if role := os.Getenv(roleVariable); role != "" {
		os.Exit(play(role, os.Args[1:]))
	}
	code := m.Run()
	if shared != nil {
		shared.end()
		os.RemoveAll(shared.dir)
	}
	os.Exit(code)
}

// sharedServer starts the shared server when the first test asks for it.
func sharedServer(t testing.TB) *server {
	t.Helper()
	if shared != nil {
		return shared
	}
	needEtcd(t)
	dir, err := os.MkdirTemp(fastest(), "etcdstore-test-")
	require.NoError(t, err)
	s := &server{dir: dir}
	s.start(t)
	shared = s
	return s
}

func needEtcd(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		testkit.Skip(t, "there is no etcd on this machine: apt-get install etcd-server")
	}
}

// fastest is a file system in memory where there is one: a server syncs each write.
func fastest() string {
	const memory = "/dev/shm"
	if info, err := os.Stat(memory); err == nil && info.IsDir() {
		return memory
	}
	return ""
}

// newServer starts a server for one test.
func newServer(t testing.TB, options ...string) *server {
	t.Helper()
	needEtcd(t)
	dir, err := os.MkdirTemp(fastest(), "etcdstore-test-")
	require.NoError(t, err)
	s := &server{dir: dir, options: options}
	t.Cleanup(func() {
		s.end()
		os.RemoveAll(dir)
	})
	s.start(t)
	return s
}

// start starts the server, again where it was before, and waits until it answers.
func (s *server) start(t testing.TB) {
	t.Helper()
	if s.client == "" {
		s.client, s.peer = freeAddress(t), freeAddress(t)
	}
	scheme := "http://"
	for _, o := range s.options {
		if strings.HasPrefix(o, "--cert-file") {
			scheme = "https://"
		}
	}
	log, err := os.Create(filepath.Join(s.dir, "log"))
	require.NoError(t, err)
	defer log.Close()
	s.cmd = exec.Command("etcd", append([]string{
		"--name", "one", "--data-dir", filepath.Join(s.dir, "data"), "--logger", "zap", "--log-outputs", "stderr",
		"--listen-client-urls", scheme + s.client, "--advertise-client-urls", scheme + s.client,
		"--listen-peer-urls", "http://" + s.peer, "--initial-advertise-peer-urls", "http://" + s.peer,
		"--initial-cluster", "one=http://" + s.peer,
	}, s.options...)...)
	s.cmd.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH=arm64") // where it is none, it says so and goes on
	s.cmd.Stdout, s.cmd.Stderr = log, log
	require.NoError(t, s.cmd.Start())
	s.awaitPort(t)
}

func (s *server) awaitPort(t testing.TB) {
	t.Helper()
	deadline := time.Now().Add(hang)
	for {
		b, err := os.ReadFile(filepath.Join(s.dir, "log"))
		require.NoError(t, err)
		if strings.Contains(string(b), "serving ") || strings.Contains(string(b), "ready to serve client requests") {
			conn, err := net.DialTimeout("tcp", s.client, time.Second)
			if err == nil {
				conn.Close()
				return
			}
		}
		require.True(t, time.Now().Before(deadline), "etcd did not come up:\n%s", b)
		time.Sleep(tick)
	}
}

// end kills the server. Its data stays.
func (s *server) end() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

var prefixes atomic.Int64

// config names a fresh store on the server.
func (s *server) config() Config {
	return Config{Endpoints: []string{s.client}, Prefix: fmt.Sprintf("test/%d", prefixes.Add(1)), TTL: DefaultTTL}
}

// newStore returns a store of its own on the shared server.
func newStore(t testing.TB) *Store {
	t.Helper()
	return openStore(t, sharedServer(t).config())
}

func openStore(t testing.TB, c Config) *Store {
	t.Helper()
	s, err := Open(c)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// raw is a client that knows nothing of stores.
func (s *server) raw(t testing.TB) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{s.client}, DialTimeout: patience})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

var background = context.Background()
