package sqlitecopy

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// The bank: money only moves, so that every state between two transfers has the same sum. Its rows fill many pages.
const (
	accounts = 400
	total    = accounts * 1000
)

func bank(setup ...string) []string {
	return append(setup,
		"CREATE TABLE account(id INTEGER PRIMARY KEY, balance INTEGER, note BLOB)",
		"CREATE TABLE tally(id INTEGER PRIMARY KEY, moves INTEGER)",
		"INSERT INTO tally VALUES(1,0)",
		fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d) "+
			"INSERT INTO account SELECT i,1000,zeroblob(1500) FROM n", accounts))
}

// movements are what a mover did.
type movements struct{ Commits, Busy, Opens int }

// moveMoney moves money until its input ends, and tells what it did. Of its habits, "reopen" closes the database after
// every few transfers, maybe as the last user of it; "truncate" only cuts the log off; "persist" keeps the
// journal; "polite" lets others in, which SQLite's own waiting does not ensure.
func moveMoney(path string, args []string) error {
	ended := make(chan struct{})
	go func() { bufio.NewReader(os.Stdin).ReadString('\n'); close(ended) }()
	m := &moving{path: path, habits: strings.Fields(args[0]), ended: ended}
	m.ready = sync.OnceFunc(func() { fmt.Println("ready") })
	for !m.over() {
		if err := m.spell(); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(m.did)
}

type moving struct {
	path   string
	habits []string
	ended  chan struct{}
	did    movements
	ready  func()
}

func (m *moving) over() bool {
	select {
	case <-m.ended:
		return true
	default:
		return false
	}
}

// spell is the time of one connection.
func (m *moving) spell() error {
	c, err := connect(m.path)
	if err != nil {
		return err
	}
	m.did.Opens++
	if err := m.settle(execute(c, m.manners())); err != nil {
		return err
	}
	for n := 0; !m.over() && (n < 5 || !slices.Contains(m.habits, "reopen")); n++ {
		began := time.Now()
		if err := m.settle(m.act(c)); err != nil {
			return err
		}
		m.ready()
		if slices.Contains(m.habits, "polite") {
			time.Sleep(time.Since(began))
		}
	}
	return c.close()
}

func (m *moving) manners() []string {
	manners := []string{"PRAGMA wal_autocheckpoint=20", "PRAGMA synchronous=off"}
	if slices.Contains(m.habits, "persist") {
		manners = append(manners, "PRAGMA journal_mode=persist")
	}
	return manners
}

func (m *moving) act(c *client) error {
	if slices.Contains(m.habits, "truncate") {
		return execute(c, []string{"PRAGMA busy_timeout=0", "PRAGMA wal_checkpoint(TRUNCATE)"})
	}
	return transfer(c)
}

// settle counts what came of an action.
func (m *moving) settle(err error) error {
	switch {
	case err == nil:
		m.did.Commits++
	case isBusy(err):
		m.did.Busy++
	default:
		return err
	}
	return nil
}

func isBusy(err error) bool { return err != nil && strings.Contains(err.Error(), "SQLITE_BUSY") }

func transfer(c *client) error {
	err := execute(c, transferral())
	if err != nil {
		c.conn.ExecContext(context.Background(), "ROLLBACK")
	}
	return err
}

func transferral() []string {
	statements := []string{"BEGIN IMMEDIATE", "UPDATE tally SET moves=moves+1"}
	for range 4 {
		from, to, sum := 1+rand.IntN(accounts), 1+rand.IntN(accounts), rand.IntN(100)
		statements = append(statements,
			fmt.Sprintf("UPDATE account SET balance=balance-%d, note=zeroblob(1500) WHERE id=%d", sum, from),
			fmt.Sprintf("UPDATE account SET balance=balance+%d, note=zeroblob(1400) WHERE id=%d", sum, to))
	}
	return append(statements, "COMMIT")
}
