package main

import (
	"bytes"
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

// recovery is a command that recovers everything that is stranded.
type recovery func(session, store string) (*exec.Cmd, error)

// recoverFrom lists first, which is no part of what is measured.
func recoverFrom(session, store string) (*exec.Cmd, error) {
	list, err := exec.Command(session, "--store", store, "--json", "list", "--state", "stranded").Output()
	if err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	rows := filepath.Join(filepath.Dir(store), "stranded.jsonl")
	return exec.Command(session, "--store", store, "--json", "recover", "--from", rows, "--force"), os.WriteFile(rows, list, 0o600)
}

func reconcile(session, store string) (*exec.Cmd, error) {
	return exec.Command(session, "--store", store, "--json", "reconcile", "--apply", "--accept-mass-death"), nil
}

func (l *lab) recoveries(how recovery) (t turns, err error) {
	bare, err := l.publisher()
	if err != nil {
		return t, err
	}
	defer bare.end()
	n, err := l.asManyAsFit(how)
	if err != nil {
		return t, err
	}
	t.notes = append(t.notes, fmt.Sprintf("%d sessions at a time", n))
	ours := func() (time.Duration, error) { return l.recovered(n, how) }
	peer := func() (time.Duration, error) { return bare.each(min(n, 1000)) }
	for l.goesOn(3, t) {
		if err := t.turn(ours, peer); err != nil {
			return t, err
		}
	}
	return t, nil
}

// asManyAsFit is 10,000, or fewer where that many take longer than a row may.
func (l *lab) asManyAsFit(how recovery) (int, error) {
	n := l.of(100, 10)
	each, err := l.recovered(n, how)
	if err != nil || l.quick {
		return n, err
	}
	return max(n, min(10_000, int(l.left()/2/each))), nil
}

// recovered strands n sessions, has them recovered, and sees that all of them are.
func (l *lab) recovered(n int, how recovery) (each time.Duration, err error) {
	f, err := l.furnish()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(filepath.Dir(f.Identity()))
	if err := f.grow(n-1, ownership.RecordActive); err != nil {
		return 0, err
	}
	if err := exec.Command("sync", "-f", f.Identity()).Run(); err != nil {
		return 0, err
	}
	cmd, err := how(l.program("session"), f.Identity())
	if err != nil {
		return 0, err
	}
	var out []byte
	each, err = taken(n, func() (err error) { out, err = cmd.Output(); return err })
	if err != nil {
		return 0, fmt.Errorf("%s: %w", cmd.Args[len(cmd.Args)-2], err)
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
