// Bench measures Holdfast against what people would use instead, on one disk, in turns,
// and prints a table of medians and ratios with their quartiles.
//
//	go run ./internal/bench                 every row
//	go run ./internal/bench -write          the same, and shows it in README.md
//	go run ./internal/bench -quick          every row a little: that all of them run and are right
//	go run ./internal/bench -only cycle,run
//
// A row is one kind of work with a goal. Its two sides, ours and the peer's, take turns
// within one run, so that what else the machine does meets both; the ratio is that of
// each turn. Every answer is checked: a fast wrong one fails its row. A row that fails
// does not end the run.
//
// After the turns a piece of the work is done again, for its processor time, for what it
// allocates and, below strace, for its system calls. Where many pieces are done by one
// process, a piece is what more of them add; where a command does one, it is all of the
// command from its start to its end. What Go's runtime asks for to schedule goroutines,
// which differs each time, is left out.
//
// A row whose peer is not installed is left out, loudly, and calls are not counted where
// there is no strace; with HOLDFAST_REQUIRE=1 both fail.
//
// With -write what was measured is kept in testdata/speed/results.json, each row with its
// run and machine, and README.md shows what is kept and nothing else. A run with -only
// replaces the rows that it measured.
//
// With -quick no figure means anything and no goal is asserted.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
)

func main() {
	o, err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed, err := run(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if failed > 0 {
		os.Exit(1)
	}
}

// options are what to run, and where.
type options struct {
	quick  bool
	write  bool
	only   []string
	disk   string // "": a directory of the system for what is temporary
	rounds int    // 0: as many as each row thinks
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&o.quick, "quick", false, "play every row a little, for the answers and not for the figures")
	flags.BoolVar(&o.write, "write", false, "put the table and the plots into README.md and testdata/speed")
	only := flags.String("only", "", "the rows to run, with commas between them (all): "+strings.Join(names(), ", "))
	flags.StringVar(&o.disk, "store", "", "a `DIR` on the disk to measure on")
	flags.IntVar(&o.rounds, "rounds", 0, "turns of each row (0: as many as it needs)")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is no option: bench -h names them", flags.Arg(0))
	}
	if o.only = names(); *only != "" {
		o.only = strings.Split(*only, ",")
	}
	for _, name := range o.only {
		if !slices.Contains(names(), name) {
			return o, fmt.Errorf("there is no row %q: %s", name, strings.Join(names(), ", "))
		}
	}
	if o.quick && o.write {
		return o, fmt.Errorf("-quick measures nothing that could be written: leave -write or -quick out")
	}
	return o, nil
}
