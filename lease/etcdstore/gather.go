package etcdstore

import (
	"context"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// gatherer asks for single keys. A question that comes alone is asked at once; those that
// come while one is on its way are asked together after it, so that a look at very many
// sessions costs few round trips. No answer is older than its question.
type gatherer struct {
	mu      sync.Mutex
	asking  bool
	waiting []*question
}

// maxTogether is within what a server takes in one transaction.
const maxTogether = 100

// question is for one key.
type question struct {
	key    string
	answer chan struct{} // closed when there is one
	kvs    []*mvccpb.KeyValue
	err    error
}

// ask returns the key, or none. A caller who goes away leaves the question to the others.
func (g *gatherer) ask(ctx context.Context, c Config, client *clientv3.Client, key string) ([]*mvccpb.KeyValue, error) {
	q := &question{key: key, answer: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, q)
	begin := !g.asking
	g.asking = true
	g.mu.Unlock()
	if begin {
		go g.work(c, client)
	}
	select {
	case <-q.answer:
		return q.kvs, q.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// work asks until nothing waits.
func (g *gatherer) work(c Config, client *clientv3.Client) {
	for {
		g.mu.Lock()
		n := min(len(g.waiting), maxTogether)
		batch := g.waiting[:n:n]
		g.waiting = g.waiting[n:]
		if g.asking = n > 0; !g.asking {
			g.waiting = nil
		}
		g.mu.Unlock()
		if n == 0 {
			return
		}
		askTogether(c, client, batch)
	}
}

func askTogether(c Config, client *clientv3.Client, batch []*question) {
	gets := make([]clientv3.Op, len(batch))
	for n, q := range batch {
		gets[n] = clientv3.OpGet(q.key)
	}
	var answer *clientv3.TxnResponse
	err := c.ask(context.Background(), func(ctx context.Context) (err error) {
		answer, err = client.Txn(ctx).Then(gets...).Commit()
		return err
	})
	for n, q := range batch {
		if q.err = err; err == nil {
			q.kvs = answer.Responses[n].GetResponseRange().Kvs
		}
		close(q.answer)
	}
}
