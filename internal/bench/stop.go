package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// closeWhenStopped leaves nothing on the disk of a run that somebody ends. What else was
// started ends with this process: all of that reads its standard input from here, but the
// compiler, which is told by the context.
func (l *lab) closeWhenStopped() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		s := <-stopped
		fmt.Fprintf(os.Stderr, "\n%v: removing what was made\n", s)
		cancel()
		l.building.Lock()
		if err := l.close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(128 + int(s.(syscall.Signal)))
	}()
	return ctx
}
