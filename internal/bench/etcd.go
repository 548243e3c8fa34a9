package main

import (
	"errors"
	"fmt"
	"time"
)

// etcdRow compares a host on a directory with one that keeps its owners in a server on
// the same machine and disk.
var etcdRow = row{
	name: "etcd",
	work: "acquire + release in process",
	peer: "two puts into one etcd server on the same disk",
	goal: goal{atMost: 1},
	play: playEtcd,
}

func playEtcd(l *lab) (t turns, err error) {
	etcd, err := tool("etcd", "etcd-server")
	if err != nil {
		return t, err
	}
	place, err := l.place()
	if err != nil {
		return t, err
	}
	w, err := startWorker(l.program("etcdput"), etcd, place, fmt.Sprint(recordSize))
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, w.end()) }()
	puts := func(n int) (time.Duration, error) {
		one, err := w.each(2 * n)
		return 2 * one, err
	}
	if _, err := puts(1); err != nil { // it starts once
		return t, err
	}
	return l.cyclesBeside(peer{each: puts})
}
