package dirstore_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/internal/testkit"
	"holdfast/lease"
)

// playGathered acquires and releases many sessions at once, and tells of each publish
// when it returned.
func playGathered(args []string) error {
	alone, err := storeOf(args)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	s, done := alone.Gather()
	if s == nil {
		return errors.New("nothing is shared")
	}
	defer done()
	var all sync.WaitGroup
	faults := make(chan error, n)
	for i := range n {
		all.Go(func() { faults <- ownAndTell(s, fmt.Sprint("gathered/", i)) })
	}
	all.Wait()
	for range n {
		if err := <-faults; err != nil {
			return err
		}
	}
	return nil
}

func ownAndTell(s lease.Store, key string) error {
	l, err := lease.Acquire(background, s, keyOf(key), lease.Owner{})
	if err != nil {
		return err
	}
	fmt.Println("told", keyOf(key).Digest())
	if err := l.Release(background); err != nil {
		return err
	}
	fmt.Println("told", keyOf(key).Digest())
	return nil
}

// moment is one system call in a log of strace that follows all threads: the lines at
// which it began and ended.
type moment struct {
	name, args string
	began      int
	ended      int
	ok         bool
}

var (
	callLine    = regexp.MustCompile(`^(\d+) +(\w+)\((.*)$`)
	resumedLine = regexp.MustCompile(`^(\d+) +<\.\.\. (\w+) resumed>(.*)$`)
	answered    = regexp.MustCompile(`\) += (-?\d+)`)
)

func momentsOf(log string) (all []*moment) {
	open := map[string]*moment{}
	for at, line := range strings.Split(log, "\n") {
		if m := resumedLine.FindStringSubmatch(line); m != nil {
			if o := open[m[1]]; o != nil {
				o.end(at, m[3])
				delete(open, m[1])
			}
			continue
		}
		m := callLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		o := &moment{name: m[2], args: m[3], began: at}
		all = append(all, o)
		if before, unfinished := strings.CutSuffix(m[3], " <unfinished ...>"); unfinished {
			o.args, open[m[1]] = before, o
		} else {
			o.end(at, m[3])
		}
	}
	return all
}

func (m *moment) end(at int, rest string) {
	answer := answered.FindStringSubmatch(rest)
	m.ended, m.ok = at, answer != nil && !strings.HasPrefix(answer[1], "-")
}

// waits are the moments of a log that make something durable.
type waits []*moment

// cover reports whether between two lines, both calls of it whole, there was a wait for
// one path, or one for the whole file system with a flush of the disk behind it.
func (w waits) cover(path string, after, before int) bool {
	within := func(m *moment) bool { return m.ok && m.began > after && m.ended < before }
	for _, m := range w {
		switch {
		case !within(m):
		case m.name == "fsync" && strings.Contains(m.args, "<"+path+">"):
			return true
		case m.name == "syncfs" && w.flushed(m, before):
			return true
		}
	}
	return false
}

func (w waits) flushed(whole *moment, before int) bool {
	for _, m := range w {
		if m.name == "fsync" && m.ok && m.args[:strings.Index(m.args, "<")] == whole.args[:strings.Index(whole.args, "<")] && m.began > whole.ended && m.ended < before {
			return true
		}
	}
	return false
}

// Whatever publishes beside it, each publish waits for its bytes before they get a name,
// and for the names before anybody is told (I9, I11).
func TestGatheredPublishesWaitAsAloneOnesDo(t *testing.T) {
	const sessions = 60
	strace, err := exec.LookPath("strace")
	if err != nil {
		testkit.Skip(t, "strace sees in which order system calls were made")
	}
	s, dir := newStore(t)
	c, err := acquire(s, "the first", self())
	require.NoError(t, err)
	require.NoError(t, c.release())
	if rounds := durable.OpenRounds(dir); rounds == nil {
		testkit.Skip(t, "the file system of temporary files is not known to sync as a whole")
	} else {
		require.NoError(t, rounds.Close())
	}

	log := filepath.Join(t.TempDir(), "log")
	start(t, "gathered", func(c *exec.Cmd) {
		args := []string{strace, "-f", "--seccomp-bpf", "-y", "-s", "4096", "-o", log, "-e", "trace=write,fsync,syncfs,renameat,mkdirat"}
		c.Args = append(append(args, c.Path), c.Args[1:]...)
		c.Path = strace
	}, dir, fmt.Sprint(sessions)).end(t)
	b, err := os.ReadFile(log)
	require.NoError(t, err)

	var disk waits
	calls := map[string][]*moment{} // by what they do to a session
	whole := 0
	for _, m := range momentsOf(string(b)) {
		switch {
		case m.name == "fsync" || m.name == "syncfs":
			disk = append(disk, m)
			if m.name == "syncfs" {
				whole++
			}
		case m.name == "write" && strings.Contains(m.args, `"told `):
			digest, _, _ := strings.Cut(m.args[strings.Index(m.args, `"told `)+6:], `\n`)
			calls["told "+digest] = append(calls["told "+digest], m)
		default:
			for i := range sessions {
				d := keyOf(fmt.Sprint("gathered/", i)).Digest().String()
				if strings.Contains(m.args, d) {
					calls[m.name+" "+d] = append(calls[m.name+" "+d], m)
				}
			}
		}
	}
	require.Positive(t, whole)
	require.Less(t, whole, sessions, "waits were not shared")
	for i := range sessions {
		d := keyOf(fmt.Sprint("gathered/", i)).Digest().String()
		in := filepath.Join(dir, "sessions", d)
		writes, renames, told := calls["write "+d], calls["renameat "+d], calls["told "+d]
		require.Len(t, writes, 2)
		require.Len(t, renames, 2)
		require.Len(t, told, 2)
		made := calls["mkdirat "+d]
		require.Len(t, made, 1)
		require.True(t, disk.cover(filepath.Dir(in), made[0].ended, renames[0].began), "the directory's name, session %d", i)
		for n := range 2 {
			next := filepath.Join(in, "next.1.json")
			require.True(t, disk.cover(next, writes[n].ended, renames[n].began), "the bytes of publish %d, session %d", n, i)
			require.True(t, disk.cover(in, renames[n].ended, told[n].began), "the names of publish %d, session %d", n, i)
		}
	}
}
