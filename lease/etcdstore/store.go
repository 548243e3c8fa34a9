package etcdstore

import (
	"context"
	"errors"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

var (
	_ lease.Store       = (*Store)(nil)
	_ lease.Quarantiner = (*Store)(nil)
	_ lease.Displacer   = (*Store)(nil)
	_ lease.Concluder   = (*Store)(nil)
	_ lease.Chronicler  = (*Store)(nil)
	_ lease.Recaller    = (*Store)(nil)
	_ lease.Notifier    = (*Store)(nil)
	_ lease.Examiner    = (*Store)(nil)
	_ lease.Sweeper     = (*Store)(nil)
	_ lease.Witness     = (*hold)(nil)
	_ lease.Verdicts    = (*Store)(nil)
)

// Store is one prefix of a cluster. It may be used by several goroutines. Whoever opened
// it closes it.
type Store struct {
	config Config
	keys   keys
	link   *link
}

// Open returns the store that c names. The cluster is asked for nothing yet.
func Open(c Config) (*Store, error) {
	if _, err := c.TLS.config(); err != nil {
		return nil, err
	}
	return over(c, &link{config: c}), nil
}

func over(c Config, l *link) *Store { return &Store{config: c, keys: keys(c.Prefix), link: l} }

// Identity is the address without the order of its hosts. Two addresses of one cluster
// have two identities: what keeps them apart is the cluster.
func (s *Store) Identity() string { return s.config.Address() }

// Close gives up the lease of this process, with everything that is held on it, and the
// connection.
func (s *Store) Close() error { return s.link.close() }

// link is what this process has open of a cluster: one connection and at most one term.
type link struct {
	config Config
	loads  gatherer

	mu     sync.Mutex
	client *clientv3.Client // nil before its first use
	term   *term            // nil before the first hold
	closed bool
}

var errClosed = errors.New("the store is closed")

// use returns the connection.
func (l *link) use() (*clientv3.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.useLocked()
}

func (l *link) useLocked() (*clientv3.Client, error) {
	if l.closed {
		return nil, errClosed
	}
	if l.client != nil {
		return l.client, nil
	}
	client, err := connect(l.config)
	if err != nil {
		return nil, err
	}
	l.client = client
	return client, nil
}

// current returns the term in force, or begins one.
func (l *link) current(ctx context.Context) (*term, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.term != nil && l.term.over() == nil {
		return l.term, nil
	}
	client, err := l.useLocked()
	if err != nil {
		return nil, err
	}
	t, err := beginTerm(ctx, client, l.config)
	if err != nil {
		return nil, err
	}
	l.term = t
	return t, nil
}

func (l *link) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.client == nil {
		return nil
	}
	if l.term != nil {
		l.term.end(l.client)
		l.term = nil
	}
	err := l.client.Close()
	l.client = nil
	return err
}

// at is how messages name a key.
func (s *Store) at(key string) string { return Scheme + s.config.Endpoints[0] + "/" + key }

// Load returns the bytes of the record.
func (s *Store) Load(ctx context.Context, d ownership.Digest) (lease.Stored, error) {
	found, err := s.load(ctx, d)
	return found.Stored, err
}
