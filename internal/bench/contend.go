package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// contendRow is a stampede: everybody wants the one session.
var contendRow = row{
	name: "contend",
	work: "1,000 processes contending for one key",
	peer: "starting 1,000 bare Go programs",
	goal: goal{atMost: 1.5},
	play: playContend,
}

func playContend(l *lab) (t turns, err error) {
	s, err := l.store()
	if err != nil {
		return t, err
	}
	if err := cycles(s, keyOf("warm"), 1); err != nil {
		return t, err
	}
	key := 0
	stampede := func(n int) side {
		return func() (time.Duration, error) {
			key++
			return l.contend(s.Identity(), fmt.Sprintf("wanted/%d", key), n)
		}
	}
	bare := func(n int) side {
		return func() (time.Duration, error) { return taken(n, func() error { return l.startBare(n) }) }
	}
	n := l.of(1000, 40)
	for l.goesOn(5, t) {
		if err := t.turn(stampede(n), bare(n)); err != nil {
			return t, err
		}
	}
	t.notes = append(t.notes, fmt.Sprintf("each time one of %s won, and the others were refused with its name; the bare programs were started with the same pipes", inThousands(n)))
	if t.curve, err = l.contenders(stampede, bare); err != nil {
		return t, err
	}
	t.counts, err = l.countContender(s.Identity())
	return t, err
}

// countContender counts what one asks for that comes too late.
func (l *lab) countContender(store string) (c *counts, err error) {
	holder, err := startWorker(l.program("host"), "hold", store, "taken")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, holder.end()) }()
	if _, err := holder.line(); err != nil {
		return nil, err
	}
	return l.countStarts(command{argv: []string{l.program("host"), "contend", store, "taken"}}, command{argv: []string{l.program("bare")}})
}

// contenders measures the same by their number.
func (l *lab) contenders(stampede, bare func(n int) side) ([]point, error) {
	numbers := []int{1, 3, 10, 30, 100, 300, 1000}
	if l.quick {
		numbers = numbers[:2]
	}
	c := curveOf(numbers...)
	l.startClock()
	for l.goesOn(7, turns{ours: c.ours[0]}) {
		if err := c.round(func(n int) (ours, peer side) { return stampede(n), bare(n) }); err != nil {
			return nil, err
		}
	}
	return c.points(), nil
}

// starters is how many processes are being started at once.
const starters = 4

// startAll starts n processes and waits for the end of each.
func startAll(n int, start func() error) error {
	var all sync.WaitGroup
	faults := make(chan error, n)
	turn := make(chan struct{}, n)
	for range n {
		turn <- struct{}{}
	}
	close(turn)
	for range starters {
		all.Go(func() {
			for range turn {
				if err := start(); err != nil {
					faults <- err
				}
			}
		})
	}
	all.Wait()
	close(faults)
	return errors.Join(<-faults)
}

// startBare starts programs that say nothing as contenders are started: pipes, and reading
// from them, cost a fifth of a start.
func (l *lab) startBare(n int) error {
	return heldTogether(func(stay *os.File) error {
		return startAll(n, func() error {
			c, err := startContender(stay, l.program("bare"))
			if err != nil {
				return err
			}
			return c.end()
		})
	})
}

// contend lets n processes contend and judges their answers. The winner keeps the
// session until all others have had theirs.
func (l *lab) contend(store, key string, n int) (each time.Duration, err error) {
	v := &verdicts{n: n}
	err = heldTogether(func(stay *os.File) error {
		each, err = taken(n, func() error {
			return startAll(n, func() error {
				c, err := startContender(stay, l.program("host"), "contend", store, key)
				if err != nil {
					return err
				}
				return v.take(c)
			})
		})
		return err
	})
	if v.winner != nil {
		err = errors.Join(err, v.winner.end())
	}
	return each, errors.Join(err, v.judge())
}

// heldTogether gives all that do starts the same standard input, which ends with it.
func heldTogether(do func(stay *os.File) error) error {
	stay, leave, err := os.Pipe()
	if err != nil {
		return err
	}
	return errors.Join(do(stay), leave.Close(), stay.Close())
}

// contender is a process that says one thing.
type contender struct {
	cmd    *exec.Cmd
	stderr bytes.Buffer
	said   string
}

// startContender starts a process and waits for its first words: a winner's only ones for
// now.
func startContender(stdin *os.File, argv ...string) (*contender, error) {
	c := &contender{cmd: exec.Command(argv[0], argv[1:]...)}
	c.cmd.Stdin, c.cmd.Stderr = stdin, &c.stderr
	words, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	b := make([]byte, 256)
	n, _ := words.Read(b) // none: the exit status says why
	c.said = strings.TrimSpace(string(b[:n]))
	return c, nil
}

// end waits for the end of the process.
func (c *contender) end() error {
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("a contender: %w: %s", err, c.stderr.String())
	}
	return nil
}

// verdicts is what contenders were told.
type verdicts struct {
	n       int
	mu      sync.Mutex
	winner  *contender
	winners int
	others  []string
}

// take hears a contender, and waits for the end of who lost.
func (v *verdicts) take(c *contender) error {
	v.mu.Lock()
	if c.said == "won" {
		v.winner = c
		v.winners++
	} else {
		v.others = append(v.others, c.said)
	}
	v.mu.Unlock()
	if c.said == "won" {
		return nil
	}
	return c.end()
}

// judge wants one winner, and everybody else refused because of it. Who came before its
// record was published was refused by its lock and cannot know its name from there.
func (v *verdicts) judge() error {
	if v.winners != 1 || len(v.others) != v.n-1 {
		return fmt.Errorf("%d won and %d were refused, of %d", v.winners, len(v.others), v.n)
	}
	named := fmt.Sprintf("refused active-owner %d", v.winner.cmd.Process.Pid)
	for _, said := range v.others {
		if said != named && said != "refused active-owner 0" {
			return fmt.Errorf("a contender said %q and not %q", said, named)
		}
	}
	return nil
}
