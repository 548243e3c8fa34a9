// Package etcdtest runs real etcd servers for tests, on loopback addresses of their own.
package etcdtest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

const (
	hang = 60 * time.Second // bounds waits that end soon unless something is broken
	tick = 10 * time.Millisecond
)

// Server is one etcd. It is killed at the end of its test at the latest.
type Server struct {
	Address string // HOST:PORT for clients
	Dir     string // a directory of its own, where it keeps its data and its log

	peer    string
	options []string
	cmd     *exec.Cmd
}

// Need skips where there is no etcd.
func Need(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("etcd"); err != nil {
		testkit.Skip(t, "there is no etcd on this machine: apt-get install etcd-server")
	}
}

// Start starts a server for one test, with options beside those that make it a server of
// its own.
func Start(t testing.TB, options ...string) *Server {
	t.Helper()
	s := New(t)
	s.Run(t, options...)
	return s
}

// New returns a server that does not run yet.
func New(t testing.TB) *Server { return NewIn(t, fastest()) }

// NewIn is New for a server that keeps its data below a directory; "" is where temporary
// files are.
func NewIn(t testing.TB, parent string) *Server {
	t.Helper()
	Need(t)
	dir, err := os.MkdirTemp(parent, "holdfast-etcd-")
	require.NoError(t, err)
	s := &Server{Address: freeAddress(t), Dir: dir, peer: freeAddress(t)}
	t.Cleanup(func() {
		s.Kill()
		os.RemoveAll(dir)
	})
	return s
}

var shared struct {
	sync.Mutex
	*Server
}

// Shared returns the one server of all tests that need none of their own; [EndShared]
// ends it.
func Shared(t testing.TB) *Server {
	t.Helper()
	Need(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.Server == nil {
		dir, err := os.MkdirTemp(fastest(), "holdfast-etcd-")
		require.NoError(t, err)
		s := &Server{Address: freeAddress(t), Dir: dir, peer: freeAddress(t)}
		s.Run(t)
		shared.Server = s
	}
	return shared.Server
}

// EndShared ends the shared server, if there is one: for TestMain.
func EndShared() {
	shared.Lock()
	defer shared.Unlock()
	if shared.Server != nil {
		shared.Kill()
		os.RemoveAll(shared.Dir)
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

func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// Run starts the server, again with the data that it has, and waits until it serves.
func (s *Server) Run(t testing.TB, options ...string) {
	t.Helper()
	if options != nil {
		s.options = options
	}
	client := s.scheme() + s.Address
	peer := "http://" + s.peer
	s.launch(t, append([]string{"etcd",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
		"--initial-cluster", "one=" + peer, "--name", "one",
	}, s.options...))
	s.await(t)
}

func (s *Server) scheme() string {
	for _, o := range s.options {
		if strings.HasPrefix(o, "--cert-file") {
			return "https://"
		}
	}
	return "http://"
}

// launch starts the server's process below argv, which ends with the server's own words.
func (s *Server) launch(t testing.TB, argv []string) {
	t.Helper()
	log, err := os.Create(filepath.Join(s.Dir, "log"))
	require.NoError(t, err)
	defer log.Close()
	argv = append(argv, "--data-dir", filepath.Join(s.Dir, "data"), "--logger", "zap", "--log-outputs", "stderr")
	s.cmd = exec.Command(argv[0], argv[1:]...)
	s.cmd.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH=arm64") // elsewhere it is ignored
	s.cmd.Stdout, s.cmd.Stderr = log, log
	s.cmd.SysProcAttr = endsWithParent()
	require.NoError(t, s.cmd.Start())
}

// serves reports whether the log says that the server takes clients, which it does once
// it belongs to a cluster with a leader.
func (s *Server) serves(t testing.TB) bool {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	require.NoError(t, err)
	return strings.Contains(string(b), "serving ") || strings.Contains(string(b), "ready to serve client requests")
}

func (s *Server) await(t testing.TB) {
	t.Helper()
	require.Eventually(t, func() bool { return s.serves(t) }, hang, tick, "etcd does not serve; its log is in %s", s.Dir)
}

// Pid is the number of the server's process.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

// Kill ends the server at once. Its data stays.
func (s *Server) Kill() {
	if s.cmd != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait() // it was killed
		s.cmd = nil
	}
}

// Stop keeps the server from running without ending it; its connections stay open.
func (s *Server) Stop(t testing.TB) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGSTOP))
}

// Continue is the end of Stop.
func (s *Server) Continue(t testing.TB) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGCONT))
}
