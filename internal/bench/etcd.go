package main

import (
	"errors"
	"fmt"
	"time"
)

// etcdRow and etcdCommandRow compare a host on a directory with one that keeps its owners
// in a server on the same machine and disk.
var (
	etcdRow = row{
		name: "etcd",
		work: "acquire + release in process",
		peer: "two puts into one etcd server on the same disk",
		goal: goal{atMost: 1},
		play: func(l *lab) (turns, error) { return l.besideEtcd((*etcdServer).cycles) },
	}
	etcdCommandRow = row{
		name: "etcd-once",
		work: "a command that acquires and releases",
		peer: "one that connects to that etcd, puts twice, closes",
		goal: goal{atMost: 1},
		play: func(l *lab) (turns, error) { return l.besideEtcd((*etcdServer).ownings) },
	}
)

// etcdServer is one with a client beside it that stays connected.
type etcdServer struct {
	*worker
	lab     *lab
	address string
}

// besideEtcd runs a server for as long as a row plays.
func (l *lab) besideEtcd(play func(*etcdServer) (turns, error)) (t turns, err error) {
	etcd, err := tool("etcd", "etcd-server")
	if err != nil {
		return t, err
	}
	place, err := l.place()
	if err != nil {
		return t, err
	}
	w, err := startWorker(l.program("etcdput"), "serve", etcd, place, fmt.Sprint(recordSize))
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, w.end()) }()
	address, err := w.line()
	if err != nil {
		return t, err
	}
	if _, err := w.each(1); err != nil { // until it serves
		return t, err
	}
	return play(&etcdServer{w, l, address})
}

func (s *etcdServer) cycles() (turns, error) {
	return s.lab.cyclesBeside(peer{each: func(n int) (time.Duration, error) {
		one, err := s.each(2 * n)
		return 2 * one, err
	}})
}

func (s *etcdServer) ownings() (turns, error) {
	t, err := s.lab.ownings(command{argv: []string{s.lab.program("etcdput"), "once", s.address, fmt.Sprint(recordSize)}})
	t.notes = append(t.notes, "what the server calls, and how it waits for the disk, is not counted")
	return t, err
}
