// Etcdput is what somebody might use in the place of a directory: one etcd server with
// the options that it has by itself, and a client.
//
//	etcdput serve ETCD DIR SIZE   starts a server, tells its address, and for each number
//	                              read puts a record that many times and prints how many
//	                              nanoseconds that took. The server ends with it
//	etcdput once ADDRESS SIZE     connects, puts twice, closes
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// hang bounds the start of the server, and each answer of it.
const hang = 30 * time.Second

func main() {
	if err := do(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func do(args []string) error {
	if len(args) < 3 {
		return errors.New("etcdput serve ETCD DIR SIZE, or etcdput once ADDRESS SIZE")
	}
	n, err := strconv.Atoi(args[len(args)-1])
	if err != nil {
		return err
	}
	record := strings.Repeat("x", n)
	if args[0] == "once" {
		return putTwice(args[1], record)
	}
	return serve(args[1], args[2], record)
}

func putTwice(address, record string) error {
	client, err := connect(address)
	if err != nil {
		return err
	}
	return errors.Join(put(client, record), put(client, record), client.Close())
}

func serve(etcd, dir, record string) error {
	server, address, err := start(etcd, dir)
	if err != nil {
		return err
	}
	defer func() {
		_ = server.Process.Kill()
		_ = server.Wait() // it was killed
	}()
	client, err := connect(address)
	if err != nil {
		return err
	}
	defer client.Close()
	fmt.Println(address)
	return putAll(client, record)
}

func connect(address string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{address}, DialTimeout: hang, Logger: zap.NewNop()})
}

// start starts a server with its data and its log below a directory.
func start(etcd, dir string) (*exec.Cmd, string, error) {
	client, peer, err1 := freeURLs()
	log, err2 := os.Create(filepath.Join(dir, "log"))
	if err := errors.Join(err1, err2); err != nil {
		return nil, "", err
	}
	defer log.Close()
	cmd := exec.Command(etcd, "--data-dir", filepath.Join(dir, "data"), "--name", "one",
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "one="+peer)
	cmd.Env = append(os.Environ(), "ETCD_UNSUPPORTED_ARCH=arm64") // elsewhere it is ignored
	cmd.Stdout, cmd.Stderr = log, log
	return cmd, client, cmd.Start()
}

// freeURLs are two that differ: both are taken before either is given back.
func freeURLs() (client, peer string, err error) {
	a, err1 := net.Listen("tcp", "127.0.0.1:0")
	b, err2 := net.Listen("tcp", "127.0.0.1:0")
	if err := errors.Join(err1, err2); err != nil {
		return "", "", err
	}
	client, peer = "http://"+a.Addr().String(), "http://"+b.Addr().String()
	return client, peer, errors.Join(a.Close(), b.Close())
}

// putAll answers every number. The first put waits until the server serves.
func putAll(client *clientv3.Client, record string) error {
	for {
		var n int
		if _, err := fmt.Scan(&n); err != nil {
			return nil // whoever asks has gone
		}
		began := time.Now()
		for range n {
			if err := put(client, record); err != nil {
				return err
			}
		}
		fmt.Println(time.Since(began).Nanoseconds())
	}
}

func put(client *clientv3.Client, record string) error {
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	_, err := client.Put(ctx, "owners/k", record)
	return err
}
