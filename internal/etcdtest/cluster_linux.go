package etcdtest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// Cluster is three servers, each in a network namespace of its own, on one bridge.
type Cluster struct {
	Members []*Member
}

// Member is one server of a cluster.
type Member struct {
	*Server
	Name      string
	namespace string
	address   string
	argv      []string
}

const (
	clientPort = "2379"
	peerPort   = "2380"
)

// NewCluster makes the network and starts the servers. It needs root.
func NewCluster(t testing.TB) *Cluster {
	t.Helper()
	Need(t)
	for _, tool := range []string{"ip", "iptables"} {
		if _, err := exec.LookPath(tool); err != nil {
			testkit.Skip(t, "there is no "+tool+" on this machine")
		}
	}
	if os.Geteuid() != 0 {
		testkit.Skip(t, "network namespaces need root")
	}
	network := network{bridge: fmt.Sprintf("hf%d", os.Getpid()%100000), subnet: fmt.Sprintf("10.%d.%d", 100+os.Getpid()/256%100, os.Getpid()%256)}
	network.make(t)
	c := &Cluster{}
	for n := range 3 {
		c.Members = append(c.Members, network.member(t, n))
	}
	var all []string
	for _, m := range c.Members {
		all = append(all, m.Name+"=http://"+m.address+":"+peerPort)
	}
	for _, m := range c.Members {
		m.argv = []string{"ip", "netns", "exec", m.namespace, "etcd", "--name", m.Name,
			"--listen-client-urls", "http://" + m.Address, "--advertise-client-urls", "http://" + m.Address,
			"--listen-peer-urls", "http://" + m.address + ":" + peerPort, "--initial-advertise-peer-urls", "http://" + m.address + ":" + peerPort,
			"--initial-cluster", strings.Join(all, ","), "--initial-cluster-token", network.bridge}
		m.Start(t)
	}
	for _, m := range c.Members {
		m.await(t)
	}
	return c
}

// Endpoints are the addresses of all servers.
func (c *Cluster) Endpoints() (all []string) {
	for _, m := range c.Members {
		all = append(all, m.Address)
	}
	return all
}

// Start starts a server that does not run, with the data that it has.
func (m *Member) Start(t testing.TB) {
	t.Helper()
	m.launch(t, m.argv)
}

// Cut drops what a server hears of the others (INPUT), what it says to them (OUTPUT), or
// both. Clients reach it as before.
func (m *Member) Cut(t testing.TB, chains ...string) {
	t.Helper()
	for _, chain := range chains {
		for _, port := range []string{"--dport", "--sport"} {
			command(t, "ip", "netns", "exec", m.namespace, "iptables", "-w", "-A", chain, "-p", "tcp", port, peerPort, "-j", "DROP")
		}
	}
}

// Heal is the end of every cut.
func (m *Member) Heal(t testing.TB) {
	t.Helper()
	command(t, "ip", "netns", "exec", m.namespace, "iptables", "-w", "-F")
}

// network is a bridge with a namespace for each server.
type network struct{ bridge, subnet string }

func (w network) make(t testing.TB) {
	t.Helper()
	command(t, "ip", "link", "add", w.bridge, "type", "bridge")
	t.Cleanup(func() { _ = exec.Command("ip", "link", "del", w.bridge).Run() })
	command(t, "ip", "addr", "add", w.subnet+".1/24", "dev", w.bridge)
	command(t, "ip", "link", "set", w.bridge, "up")
}

func (w network) member(t testing.TB, n int) *Member {
	t.Helper()
	m := &Member{Name: fmt.Sprintf("m%d", n), namespace: fmt.Sprintf("%s-%d", w.bridge, n), address: fmt.Sprintf("%s.%d", w.subnet, n+2)}
	link := fmt.Sprintf("%s.%d", w.bridge, n)
	command(t, "ip", "netns", "add", m.namespace)
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", m.namespace).Run() })
	command(t, "ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", m.namespace)
	command(t, "ip", "link", "set", link, "master", w.bridge, "up")
	command(t, "ip", "-n", m.namespace, "addr", "add", m.address+"/24", "dev", "eth0")
	command(t, "ip", "-n", m.namespace, "link", "set", "eth0", "up")
	command(t, "ip", "-n", m.namespace, "link", "set", "lo", "up")
	m.Server = New(t) // ends before its namespace does
	m.Server.Address = m.address + ":" + clientPort
	return m
}

func command(t testing.TB, argv ...string) {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil && strings.Contains(string(out), "not permitted") {
		testkit.Skip(t, "this machine does not let a network be made: "+string(out))
	}
	require.NoError(t, err, "%q: %s", argv, out)
}
