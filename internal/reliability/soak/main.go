// Soak runs the lanes of package reliability, all or some, one after the other, and
// prints what each covered.
//
//	go run ./internal/reliability/soak                    everything, for hours if need be
//	go run ./internal/reliability/soak -size change       what runs for every change, in minutes
//	go run ./internal/reliability/soak -lane kill -seed 7 -for 10m
//
// It exits with 1 if a lane found a violation, with 2 if one could not run, or did nothing.
// TERM, sent to it alone, ends the lanes early, with the figures of what was done.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/lab"
)

func main() {
	actor.Main()
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	os.Exit(soak(ctx, o))
}

// options are what to run.
type options struct {
	lanes []string
	size  string
	plan  lab.Plan
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	lanes := flags.String("lane", "", "the lanes to run, with commas between them (all): "+strings.Join(names(), ", "))
	flags.StringVar(&o.size, "size", "soak", "how much: soak, or change for what runs with every change")
	flags.Int64Var(&o.plan.Seed, "seed", time.Now().Unix(), "what decides everything that is random")
	flags.IntVar(&o.plan.Rounds, "rounds", 0, "rounds of each lane at most (0: as many as the size says)")
	flags.DurationVar(&o.plan.For, "for", 0, "how long each lane runs at most (0: to its end)")
	flags.IntVar(&o.plan.Jobs, "jobs", 2, "how many things to do at once")
	flags.StringVar(&o.plan.Base, "base", "", "the directory for the stores (memory, and a disk where that matters)")
	flags.StringVar(&o.plan.Only, "only", "", "only workloads, or mutants, whose name begins with it")
	flags.StringVar(&o.plan.At, "at", "", "only what a violation names: of the lanes "+strings.Join(namesOf(replayed), ", "))
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	o.plan.Log = os.Stderr
	if o.lanes = names(); *lanes != "" {
		o.lanes = strings.Split(*lanes, ",")
	}
	for _, name := range o.lanes {
		if !slices.Contains(names(), name) {
			return o, fmt.Errorf("there is no lane %q: %s", name, strings.Join(names(), ", "))
		}
	}
	if o.size != "soak" && o.size != "change" {
		return o, fmt.Errorf("there is no size %q: soak, change", o.size)
	}
	return o, nil
}

// soak runs the lanes and returns the exit code.
func soak(ctx context.Context, o options) (code int) {
	fmt.Printf("seed %d\n", o.plan.Seed)
	for _, l := range lanes {
		if !slices.Contains(o.lanes, l.name) || ctx.Err() != nil {
			continue
		}
		began := time.Now()
		report, err := l.run(ctx, l.plan(o))
		if err == nil && ctx.Err() == nil {
			err = l.didNothing(report)
		}
		fmt.Printf("%v  in %v\n", report, time.Since(began).Round(time.Second))
		if err != nil {
			fmt.Printf("  NOT RUN TO ITS END: %v\n", err)
			code = 2
		} else if len(report.Faults()) > 0 && code == 0 {
			code = 1
		}
		if report.First() != "" {
			fmt.Printf("  AGAIN: %s\n", l.again(o, report))
		}
	}
	return code
}
