package sqlitecopy

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"modernc.org/sqlite"

	"holdfast/internal/testkit"
)

const roleVariable = "SQLITECOPY_ROLE"

// TestMain makes this binary a program that uses a database.
func TestMain(m *testing.M) {
	roles := map[string]func(path string, args []string) error{
		"run": runStatements, "die": dieAfter, "rest": restAfter, "move": moveMoney, "take": takeCopy,
	}
	if role := roles[os.Getenv(roleVariable)]; role != nil {
		registerOwn()
		if err := role(os.Args[1], os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	testkit.InMemory()
	testkit.WaitTogether(4)
	os.Exit(m.Run())
}

// registerOwn adds what only the application has, in part by names that others use as well.
func registerOwn() {
	sqlite.MustRegisterCollationUtf8("zz", strings.Compare)
	sqlite.MustRegisterCollationUtf8("uint", strings.Compare)
	yes := func(*sqlite.FunctionContext, []driver.Value) (driver.Value, error) { return int64(1), nil }
	sqlite.MustRegisterDeterministicScalarFunction("regexp", 2, yes)
}

// program is this binary in a role.
func program(role, path string, args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], append([]string{path}, args...)...)
	// A race detector in it would else wait for a second at the end, for reports of others.
	c.Env = append(os.Environ(), roleVariable+"="+role, "GORACE=atexit_sleep_ms=0")
	c.Stderr = os.Stderr
	return c
}

// client is the connection of a program that uses a database, by another SQLite than ours.
type client struct {
	pool *sql.DB
	conn *sql.Conn
}

// connect opens a database as an ordinary program would.
func connect(path string) (*client, error) {
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	conn, err := pool.Conn(context.Background())
	return &client{pool, conn}, err
}

func (c *client) close() error { return errors.Join(c.conn.Close(), c.pool.Close()) }

func execute(c *client, statements []string) error {
	for _, s := range statements {
		if _, err := c.conn.ExecContext(context.Background(), s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	return nil
}

func runStatements(path string, statements []string) error {
	c, err := connect(path)
	if err != nil {
		return err
	}
	if err := execute(c, statements); err != nil {
		return err
	}
	return c.close()
}

// dieAfter leaves everything as a crash does.
func dieAfter(path string, statements []string) error {
	c, err := connect(path)
	if err == nil {
		err = execute(c, statements)
	}
	if err == nil {
		err = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return err
}

// restAfter keeps the connection, and its transaction, until its input ends.
func restAfter(path string, statements []string) error {
	c, err := connect(path)
	if err == nil {
		err = execute(c, statements)
	}
	if err != nil {
		return err
	}
	fmt.Println("ready")
	bufio.NewReader(os.Stdin).ReadString('\n')
	return nil
}

// build makes a database by a program that ends as programs should.
func build(t testing.TB, path string, statements ...string) {
	t.Helper()
	require.NoError(t, program("run", path, statements...).Run())
}

// crash makes a database by a program that is killed after its last statement.
func crash(t testing.TB, path string, statements ...string) {
	t.Helper()
	err := program("die", path, statements...).Run()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal())
}

// resting starts a program that has done the statements and keeps its locks until the test ends.
func resting(t testing.TB, path string, statements ...string) *exec.Cmd {
	t.Helper()
	c := program("rest", path, statements...)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { in.Close(); c.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "ready\n", line)
	return c
}

// takeCopy is a program that takes a copy and says what came of it.
func takeCopy(path string, args []string) error {
	_, err := Take(context.Background(), path, args[0], Options{})
	var status syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &status)
	return json.NewEncoder(os.Stdout).Encode(outcome{tell(err), status.Maxrss << 10})
}

type outcome struct {
	Error  string
	Memory int64 // bytes, at most
}

func tell(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

const (
	hangGuard = time.Minute
	pollEvery = time.Millisecond
)
