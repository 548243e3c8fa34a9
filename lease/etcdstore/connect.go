package etcdstore

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// usualPatience is how long the cluster may take for one answer.
const usualPatience = 5 * time.Second

// The servers allow a ping each five seconds.
const (
	pingEvery    = 6 * time.Second
	pingPatience = 2 * time.Second
)

// connect prepares a connection. It asks the cluster only where there is a password to
// check.
func connect(c Config) (*clientv3.Client, error) {
	tls, err := c.TLS.config()
	if err != nil {
		return nil, err
	}
	living, end := context.WithCancel(context.Background())
	asking, stop := c.unlessClosed(living)
	defer stop()
	detach := context.AfterFunc(asking, end)
	defer detach() // before stop
	client, err := authenticated(clientv3.Config{
		Context:              living,
		Endpoints:            c.Endpoints,
		DialTimeout:          c.patience(),
		DialKeepAliveTime:    pingEvery,
		DialKeepAliveTimeout: pingPatience,
		TLS:                  tls,
		Username:             c.Username,
		Password:             c.Password,
		Logger:               zap.NewNop(), // errors are returned, never logged
	})
	if err != nil {
		end()
		return nil, calledOff(asking, err)
	}
	return client, nil
}
