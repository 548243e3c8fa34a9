// Session-etcd is the session command for stores in etcd. Session becomes it when the
// store's address begins with etcd://; it can be used in its place everywhere.
package main

import (
	"os"

	"holdfast/internal/cli"
	"holdfast/lease"
	"holdfast/lease/etcdstore"
)

func main() { os.Exit(cli.MainWith(os.Args, open)) }

func open(address string) (lease.Store, error) {
	c, err := etcdstore.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if err := c.SetEnvironment(os.Getenv); err != nil {
		return nil, err
	}
	return etcdstore.Open(c)
}
