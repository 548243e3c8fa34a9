package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"holdfast/lease"
	"holdfast/ownership"
)

// holder owns a session until it is killed, or told to release it by SIGTERM:
//
//	holder [worktree=DIR] [tracker=FILE] [note=TEXT] [private=1] [kin=1] KEY
//
// With kin it has a child that outlives it. It prints a line once all is as it was told.
func holder() {
	var o lease.Owner
	note := ""
	words := os.Args[1 : len(os.Args)-1]
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		switch name {
		case "worktree":
			o.Facts.Worktree = &value
		case "tracker":
			o.Facts.Tracker = &value
		case "transcript":
			o.Facts.Transcript = &value
		case "resume":
			o.Facts.Resume = &value
		case "runtime":
			kind, handle, _ := strings.Cut(value, ":")
			o.Facts.Runtime = &ownership.Runtime{Kind: kind, Handle: handle}
		case "private":
			o.Private = true
		case "kin":
			o.Kin = true
		case "note":
			note = value
		}
	}
	must(hold(o, note, os.Args[len(os.Args)-1]))
}

func hold(o lease.Owner, note, name string) error {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	v := &invocation{}
	s, err := v.openStore(refuseRoot)
	if err != nil {
		return err
	}
	key, err := ownership.ParseKey(name)
	if err != nil {
		return err
	}
	l, err := lease.Acquire(context.Background(), s, key, o)
	if err != nil {
		return err
	}
	if o.Kin {
		child := exec.Command("sleep", "300")
		child.ExtraFiles = []*os.File{l.Kin()}
		if err := child.Start(); err != nil {
			return err
		}
	}
	if note != "" {
		if err := l.Pulse(context.Background(), lease.PhaseWorking, note); err != nil {
			return err
		}
	}
	fmt.Println("holding")
	<-told
	return l.Release(context.Background())
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
