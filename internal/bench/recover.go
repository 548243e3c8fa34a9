package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"holdfast/ownership"
)

// recoverRow and reconcileRow are the morning after a machine went down.
var (
	recoverRow = row{
		name: "recover",
		work: "`session recover --from` of 10,000 stranded sessions",
		peer: "10,000 bare publishes, one after the other",
		goal: goal{atMost: 0.4},
		play: func(l *lab) (turns, error) { return l.recoveries(recoverFrom) },
	}
	reconcileRow = row{
		name: "reconcile",
		work: "`session reconcile --apply` of 10,000 stranded sessions",
		peer: "10,000 bare publishes, one after the other",
		goal: goal{atMost: 0.4},
		play: func(l *lab) (turns, error) { return l.recoveries(reconcile) },
	}
)

// recovery makes a command that recovers everything that is stranded.
type recovery func(session, store string) (command, error)

// recoverFrom lists first, which is no part of what is measured.
func recoverFrom(session, store string) (command, error) {
	list, err := exec.Command(session, "--store", store, "--json", "list", "--state", "stranded").Output()
	if err != nil {
		return command{}, fmt.Errorf("list: %w", err)
	}
	rows := filepath.Join(filepath.Dir(store), "stranded.jsonl")
	return command{argv: []string{session, "--store", store, "--json", "recover", "--from", rows, "--force"}}, os.WriteFile(rows, list, 0o600)
}

func reconcile(session, store string) (command, error) {
	return command{argv: []string{session, "--store", store, "--json", "reconcile", "--apply", "--accept-mass-death"}}, nil
}

func (l *lab) recoveries(how recovery) (t turns, err error) {
	if err := l.forget(); err != nil {
		return t, err
	}
	bare, err := l.publisher()
	if err != nil {
		return t, err
	}
	defer func() { err = errors.Join(err, bare.end()) }()
	n := l.of(10_000, 10)
	ours := func() (time.Duration, error) { return l.recovered(n, how) }
	publishes := func() (time.Duration, error) { return bare.each(n) }
	for l.goesOn(3, t) {
		if err := t.turn(ours, publishes); err != nil {
			return t, err
		}
	}
	t.notes = append(t.notes, fmt.Sprintf("%s sessions at a time, in %s; turns: %d", inThousands(n), inTime(float64(n)*spreadOf(t.ours).Median), len(t.ours)))
	stranded := func(n int) (command, error) { _, c, err := l.stranded(n, how); return c, err }
	t.counts, err = l.count(load{l.of(64, 4), l.of(128, 8), stranded}, bare.times(1).load)
	return t, err
}

// stranded is a store with n stranded sessions, and the command that recovers them.
func (l *lab) stranded(n int, how recovery) (*furnished, command, error) {
	f, err := l.furnish()
	if err != nil {
		return nil, command{}, err
	}
	if err := errors.Join(f.grow(n-1, ownership.RecordActive), l.settle()); err != nil {
		return nil, command{}, err
	}
	c, err := how(l.program("session"), f.Identity())
	return f, c, err
}

// recovered strands n sessions, has them recovered, and sees that all of them are. They
// stay where they are until the row ends: no turn pays for what another one removes.
func (l *lab) recovered(n int, how recovery) (each time.Duration, err error) {
	f, c, err := l.stranded(n, how)
	if err != nil {
		return 0, err
	}
	var out []byte
	each, err = taken(n, func() (err error) { out, err = c.output(); return err })
	if err != nil {
		return 0, err
	}
	if got := bytes.Count(out, []byte(`"previousRevision":`)); got != n {
		return 0, fmt.Errorf("%d receipts for %d sessions", got, n)
	}
	return each, f.allIdle(n)
}

// allIdle wants the second generation of every session.
func (f *furnished) allIdle(n int) error {
	idle := 0
	for d, err := range f.List(background) {
		if err != nil {
			return err
		}
		stored, err := f.Load(background, d)
		if err != nil {
			return err
		}
		if r := stored.Reading(d); r.Record != nil && r.Record.State == ownership.RecordIdle && r.Record.Generation == 2 {
			idle++
		}
	}
	if idle != n {
		return fmt.Errorf("%d sessions of %d are recovered", idle, n)
	}
	return nil
}
