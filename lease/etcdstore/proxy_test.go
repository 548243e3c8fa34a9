package etcdstore

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// proxy stands between a client and a server, and can keep what either says to itself.
type proxy struct {
	address string

	mu        sync.Mutex
	changed   *sync.Cond
	questions bool // are kept back
	answers   bool // are kept back
	lost      bool // what was kept back is never passed on
	conns     []net.Conn
}

func newProxy(t *testing.T, server string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{address: l.Addr().String()}
	p.changed = sync.NewCond(&p.mu)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			upstream, err := net.Dial("tcp", server)
			if err != nil {
				client.Close()
				continue
			}
			p.join(client, upstream)
		}
	}()
	t.Cleanup(func() {
		l.Close()
		p.cut()
	})
	return p
}

func (p *proxy) join(client, upstream net.Conn) {
	p.mu.Lock()
	p.conns = append(p.conns, client, upstream)
	p.mu.Unlock()
	go p.pass(upstream, client, &p.questions)
	go p.pass(client, upstream, &p.answers)
}

func (p *proxy) pass(to, from net.Conn, kept *bool) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		p.mu.Lock()
		for *kept && !p.lost {
			p.changed.Wait()
		}
		lost := p.lost
		p.mu.Unlock()
		if lost {
			return
		}
		if _, writeErr := to.Write(buffer[:n]); err != nil || writeErr != nil {
			return
		}
	}
}

// keep holds back the questions, or the answers, from now on.
func (p *proxy) keep(questions, answers bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.questions, p.answers = questions, answers
	p.changed.Broadcast()
}

// cut breaks every connection, and loses what was kept back. New ones pass everything.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.lost = true
	p.changed.Broadcast()
}

// heal lets new connections pass everything.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost, p.questions, p.answers, p.conns = false, false, false, nil
	p.changed.Broadcast()
}
