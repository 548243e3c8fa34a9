package cli

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

type script = testscript.TestScript

// scriptCommands are what scripts have beyond the standard set.
//
//	exits N COMMAND…       run COMMAND, which must exit with N
//	hold KEY [FACT=VALUE…] start a holder and wait until KEY is held
//	kill9 KEY              kill the holder of KEY
//	strand KEY [FACT=…]    hold KEY and kill its holder
//	release KEY            tell the holder of KEY to release it, and wait for its end
//	revision KEY NAME      set $NAME to the revision of KEY's record
//	digest KEY NAME        set $NAME to the digest of KEY
//	record KEY NAME        set $NAME to the path of KEY's record
//	freeze / unchanged     remember every byte of the store / nothing of it has changed
//	mask FILE TO           copy what was printed with all that differs each time masked
//	typenext COMMAND…      see typenext
var scriptCommands = map[string]func(*script, bool, []string){
	"exits":     exitsWith,
	"hold":      func(s *script, _ bool, args []string) { startHolder(s, args) },
	"kill9":     func(s *script, _ bool, args []string) { endHolder(s, args[0], syscall.SIGKILL) },
	"strand":    func(s *script, _ bool, args []string) { startHolder(s, args); endHolder(s, args[0], syscall.SIGKILL) },
	"release":   func(s *script, _ bool, args []string) { endHolder(s, args[0], syscall.SIGTERM) },
	"revision":  func(s *script, _ bool, args []string) { s.Setenv(args[1], field(s, args[0], "revision")) },
	"digest":    func(s *script, _ bool, args []string) { s.Setenv(args[1], field(s, args[0], "keyDigest")) },
	"record":    func(s *script, _ bool, args []string) { s.Setenv(args[1], recordPath(s, args[0])) },
	"freeze":    func(s *script, _ bool, _ []string) { s.Setenv("FROZEN", hashOf(s, everything)) },
	"unchanged": unchanged,
	"mask":      mask,
	"typenext":  typeNext,
}

func exitsWith(s *script, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	s.Check(err)
	if code := codeOfExec(s, args[1], args[2:]...); (code == want) == neg {
		s.Fatalf("exit code %d", code)
	}
}

// codeOfExec runs a command as the script would and returns its exit code.
func codeOfExec(s *script, name string, args ...string) int {
	err := s.Exec(name, args...)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.Fatalf("%v", err)
	}
	if exit == nil {
		return 0
	}
	return exit.ExitCode()
}

type holdersKey struct{}

// holders are the processes that hold sessions for a script, by key.
type holders map[string]*exec.Cmd

func startHolder(s *script, args []string) {
	key, facts := args[0], args[1:]
	c := command(s, "holder", append(facts, key)...)
	c.Stderr = os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, err := c.StdoutPipe()
	s.Check(err)
	s.Check(c.Start())
	s.Value(holdersKey{}).(holders)[key] = c
	s.Defer(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // its child too
		_ = c.Wait()
	})
	s.Setenv("HOLDER", strconv.Itoa(c.Process.Pid))
	if _, err := bufio.NewReader(said).ReadString('\n'); err != nil {
		s.Fatalf("%s was never held: %v", key, err)
	}
	if state := inspection(s, key).State; state != "held" {
		s.Fatalf("%s is %s", key, state)
	}
}

func endHolder(s *script, key string, signal os.Signal) {
	c := s.Value(holdersKey{}).(holders)[key]
	s.Check(c.Process.Signal(signal))
	err := c.Wait()
	if signal == syscall.SIGTERM {
		s.Check(err)
	}
}

// command is a program in the environment and directory of a script.
func command(s *script, name string, args ...string) *exec.Cmd {
	path, err := exec.LookPath(name)
	s.Check(err)
	c := exec.Command(path, args...)
	c.Args[0] = name
	c.Dir = s.MkAbs(".")
	c.Env = append(os.Environ(), scriptEnvironment(s)...)
	return c
}

func scriptEnvironment(s *script) []string {
	var env []string
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "HOLDFAST_STORE", "STORE", "PATH"} {
		env = append(env, name+"="+s.Getenv(name))
	}
	return env
}

// shownInspection is what scripts need of what inspect prints.
type shownInspection struct {
	State     string `json:"state"`
	Revision  string `json:"revision"`
	KeyDigest string `json:"keyDigest"`
}

func inspection(s *script, key string) shownInspection {
	found, err := inspectIn(context.Background(), s.Getenv("STORE"), key)
	s.Check(err)
	out, err := json.Marshal(found)
	s.Check(err)
	var i shownInspection
	decode(s, out, &i)
	return i
}

func field(s *script, key, name string) string {
	i := inspection(s, key)
	return map[string]string{"revision": i.Revision, "keyDigest": i.KeyDigest}[name]
}

func recordPath(s *script, key string) string {
	return filepath.Join(s.Getenv("STORE"), "sessions", field(s, key, "keyDigest"), "record.json")
}

// patience is a guard against hanging, not a limit that anything is held to.
const patience = 2 * time.Minute

const pollEvery = 5 * time.Millisecond

func eventually(s *script, what string, holds func() bool) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			s.Fatalf("never seen: %s", what)
		case <-time.After(pollEvery):
		}
	}
}

func unchanged(s *script, neg bool, _ []string) {
	if same := hashOf(s, everything) == s.Getenv("FROZEN"); same == neg {
		s.Fatalf("store unchanged: %v", same)
	}
}

// facet is what of a file a hash of the store covers.
type facet func(fs.FileInfo) string

// contents covers modes beside names and bytes.
func contents(i fs.FileInfo) string { return i.Mode().String() }

// everything also shows a file that was replaced by its like, or made and removed.
func everything(i fs.FileInfo) string {
	return fmt.Sprint(i.Mode(), i.ModTime().UnixNano(), i.Sys().(*syscall.Stat_t).Ino)
}

// hashOf is one hash of every name and byte of the store, and of a facet of each
// file; of a store that is not there, the hash of nothing.
func hashOf(s *script, of facet) string {
	h := sha256.New()
	dir := s.Getenv("STORE")
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && path == dir {
			return filepath.SkipAll
		}
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(h, path, of(info))
		if !info.Mode().IsRegular() {
			return nil
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(h, "%x\n", sha256.Sum256(b))
		return err
	})
	s.Check(err)
	return hex.EncodeToString(h.Sum(nil))
}

// masks are what differs from run to run, longest first.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(?m)^.*environments? .*may not be read.*\n`), ""}, // it depends on the host
	{regexp.MustCompile(`(?m)^  class .*\n(?:    \S .*\n)*?    \S cpu time .*\n`), "  class      OF THAT MOMENT\n"},
	{regexp.MustCompile(`\b[0-9a-f]{64}\b`), "HASH"},
	{regexp.MustCompile(`\b\d{8}T\d{6}\.\d{3}Z-[0-9a-f]{12}`), "SNAPSHOT"},
	{regexp.MustCompile(`\b[0-9a-f]{12}…`), "HASH…"},
	{regexp.MustCompile(`\b\d{4}-\d\d-\d\d[ T][0-9:.]+( UTC|Z)`), "TIME"},
	{regexp.MustCompile(`just now|\d+ \w+ ago`), "AGE"},
	{regexp.MustCompile(`\b(pid|tick|ticks|group) \d+`), "$1 N"},
	{regexp.MustCompile(`-TERM \d+`), "-TERM N"},
	{regexp.MustCompile(`\b\d+:\d+\b`), "N:N"},
}

func mask(s *script, _ bool, args []string) {
	text := s.ReadFile(args[0])
	host, err := os.Hostname()
	s.Check(err)
	for _, m := range masks {
		text = m.pattern.ReplaceAllString(text, m.with)
	}
	text = strings.NewReplacer(s.Getenv("WORK"), "WORK", host, "HOST", currentUser(s), "USER").Replace(text)
	s.Check(os.WriteFile(s.MkAbs(args[1]), []byte(text), 0o600))
}

func currentUser(s *script) string {
	out, err := exec.Command("id", "-un").Output()
	s.Check(err)
	return strings.TrimSpace(string(out))
}
