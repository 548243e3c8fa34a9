package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// result is what one run of the command did.
type result struct {
	code           int
	stdout, stderr string
}

// session runs the command as its own process, in a home of its own.
func session(t *testing.T, home string, args ...string) result {
	t.Helper()
	c := exec.Command("session", args...)
	c.Dir = home
	c.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "HOLDFAST_STORE=", "SESSION_KEY=", "SESSION_GENERATION=")
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if _, ended := err.(*exec.ExitError); !ended {
		require.NoError(t, err)
	}
	return result{c.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// inProcess runs the command in this very process, in a home of its own: for the many command
// lines that come to nothing. Others are typed to a process of their own.
func inProcess(t *testing.T, home string, args ...string) result {
	t.Helper()
	t.Chdir(home)
	for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": home, "HOLDFAST_STORE": "", "SESSION_KEY": "", "SESSION_GENERATION": ""} {
		t.Setenv(name, value)
	}
	stdout, stderr := diverted(t, &os.Stdout), diverted(t, &os.Stderr)
	code := Main(append([]string{"session"}, args...))
	return result{code, stdout(), stderr()}
}

// diverted sends a standard file elsewhere until what was written there is asked for.
func diverted(t *testing.T, standard **os.File) (written func() string) {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	usual := *standard
	*standard = file
	return func() string {
		*standard = usual
		require.NoError(t, file.Close())
		b, err := os.ReadFile(file.Name())
		require.NoError(t, err)
		return string(b)
	}
}

const someHash = "5ebcef0e3909a639d4d692689ff82e51b74c77c0495b2f863a077ea35d19e67f"

// wrongUsage is command lines, and what each message must name.
var wrongUsage = []struct {
	args  string // separated by single spaces; <empty> is an empty word
	names string
}{
	{"", "no command"},
	{"bogus", `"bogus"`},
	{"inspet K", `"inspet"`},
	{"--bogus", "--bogus"},
	{"--store", "--store"},
	{"--store= list", "--store"},
	{"--store <empty> list", "--store"},
	{"--store a --store b list", "--store"},
	{"--store a list --store b", "--store"},
	{"--json=maybe list", "--json"},
	{"--help bogus", "bogus"},
	{"help bogus", `"bogus"`},
	{"help list list", `"list"`},
	{"version 1", `"1"`},
	{"version --bogus", "--bogus"},
	{"--version k", `"k"`},
	{"--version -- k", `"k"`},
	{"--version=perhaps", "--version"},
	{"list --version", "--version"},

	{"inspect", "KEY"},
	{"inspect <empty>", "key"},
	{"inspect " + strings.Repeat("k", 513), "513"},
	{"inspect a\nb", "control"},
	{"inspect a\x1bb", "control"},
	{"inspect a\xffb", "UTF-8"},
	{"inspect K L", `"L"`},
	{"inspect K --bogus", "--bogus"},
	{"inspect -x K", "-x"},
	{"inspect --digest", "--digest"},
	{"inspect --digest abc", "--digest"},
	{"inspect --digest " + strings.ToUpper(someHash), "--digest"},
	{"inspect --digest " + someHash + " K", `"K"`},
	{"inspect --digest " + someHash + " --digest " + someHash, "--digest"},
	{"inspect K --digest <empty>", "--digest"},

	{"list K", `"K"`},
	{"list --state", "--state"},
	{"list --state <empty>", "--state"},
	{"list --state dead", `"dead"`},
	{"list --state held,dead", `"dead"`},
	{"list --state held,", "--state"},
	{"list --state HELD", `"HELD"`},
	{"list --state held --state idle", "--state"},
	{"list --watch --wide", "--wide"},
	{"list --watch=perhaps", "--watch"},

	{"recover", "KEY"},
	{"recover K", "--expect"},
	{"recover K --force", "--expect"},
	{"recover K --expect", "--expect"},
	{"recover K --expect <empty>", "--expect"},
	{"recover K --expect abc", "--expect"},
	{"recover K --expect --force", "--expect"},
	{"recover K --expect " + someHash[:63], "--expect"},
	{"recover K --expect " + someHash + "0", "--expect"},
	{"recover K --expect " + strings.ToUpper(someHash), "--expect"},
	{"recover K --expect " + someHash + " --expect " + someHash, "--expect"},
	{"recover K L --expect " + someHash, `"L"`},
	{"recover --expect " + someHash, "KEY"},
	{"recover K --digest " + someHash + " --expect " + someHash, `"K"`},
	{"recover K --expect " + someHash + " --despite 12", "--despite"},
	{"recover K --expect " + someHash + " --despite 12:x", "--despite"},
	{"recover K --expect " + someHash + " --despite 0:5", "--despite"},
	{"recover K --expect " + someHash + " --despite 12:5,", "--despite"},
	{"recover K --expect " + someHash + " --actor <empty>", "--actor"},
	{"recover K --expect " + someHash + " --actor a\nb", "--actor"},
	{"recover K --expect " + someHash + " --actor " + strings.Repeat("a", 256), "--actor"},
	{"recover K --expect " + someHash + " --reason " + strings.Repeat("a", 4097), "--reason"},
	{"recover K --expect " + someHash + " --reason a\xffb", "--reason"},
	{"recover K --expect " + someHash + " --snapshot <empty>", "--snapshot"},
	{"recover K --expect " + someHash + " --accept everything", "--accept"},
	{"recover K --expect " + someHash + " --accept missing --no-snapshot", "--accept"},
	{"recover K --expect " + someHash + " --snapshot DIR --no-snapshot", "--snapshot"},
	{"recover K --expect " + someHash + " --all", "--all"},
	{"recover --from F K --force", `"K"`},
	{"recover --from F --expect " + someHash, "--expect"},
	{"recover --from F --digest " + someHash, "--digest"},
	{"recover --from F --despite 1:2", "--despite"},
	{"recover --from", "--from"},
	{"recover --from <empty> --force", "--from"},
	{"recover --from nowhere --force", "--from"},
	{"recover --from . --force", "--from"},

	{"assert", "KEY"},
	{"assert K", "STATE"},
	{"assert K <empty>", "STATE"},
	{"assert K dead", `"dead"`},
	{"assert K held,", "STATE"},
	{"assert K held idle", `"idle"`},
	{"assert --digest " + someHash, "STATE"},
	{"assert --digest " + someHash + " K held", `"K"`},
	{"assert <empty> held", "key"},

	{"pulse", "KEY"},
	{"pulse K", "--generation"},
	{"pulse K --phase working", "--generation"},
	{"pulse K --generation 1", "--phase"},
	{"pulse K --generation 0 --phase working", "--generation"},
	{"pulse K --generation -1 --phase working", "--generation"},
	{"pulse K --generation 1.0 --phase working", "--generation"},
	{"pulse K --generation 9007199254740992 --phase working", "--generation"},
	{"pulse K --generation 99999999999999999999 --phase working", "--generation"},
	{"pulse K --generation 1 --phase asleep", "--phase"},
	{"pulse K --generation 1 --phase abandoned", "--phase"},
	{"pulse K --generation 1 --phase working --note " + strings.Repeat("n", 1025), "--note"},
	{"pulse K --generation 1 --phase working --note a\xffb", "--note"},
	{"pulse K L --generation 1 --phase working", `"L"`},

	{"doctor K", `"K"`},
	{"doctor --bogus", "--bogus"},

	{"completion", "SHELL"},
	{"completion tcsh", `"tcsh"`},
	{"completion bash zsh", `"zsh"`},
	{"completion --bogus", "--bogus"},
}

func words(line string) []string {
	if line == "" {
		return nil
	}
	all := strings.Split(line, " ")
	for i, w := range all {
		all[i] = strings.ReplaceAll(w, "<empty>", "")
	}
	return all
}

// Wrong usage names the argument, says where help is, and creates nothing.
func TestWrongUsage(t *testing.T) {
	for _, c := range wrongUsage {
		t.Run(c.args, func(t *testing.T) {
			home := t.TempDir()
			r := inProcess(t, home, words(c.args)...)
			require.Equal(t, 64, r.code, r.stderr)
			require.Empty(t, r.stdout)
			require.Contains(t, r.stderr, c.names)
			require.Contains(t, r.stderr, "--help")
			requireEmpty(t, home)
		})
	}
}

func TestWrongUsageAsJSON(t *testing.T) {
	for _, c := range wrongUsage {
		if strings.Contains(c.args, "--json") {
			continue
		}
		t.Run(c.args, func(t *testing.T) {
			home := t.TempDir()
			r := inProcess(t, home, append([]string{"--json"}, words(c.args)...)...)
			require.Equal(t, 64, r.code, r.stderr)
			require.Empty(t, r.stderr)
			var told refusal
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &told))
			require.EqualValues(t, "usage", told.Reason)
			require.Equal(t, 64, told.ExitCode)
			require.NotEmpty(t, told.Message)
			require.NotEmpty(t, told.Next)
			requireEmpty(t, home)
		})
	}
}

// Wrong usage of the command as a process. A wrong argument before --json does not hide it.
func TestWrongUsageBeforeJSON(t *testing.T) {
	home := t.TempDir()
	human := session(t, home, "inspect", "--bogus", "K")
	require.Equal(t, 64, human.code)
	require.Empty(t, human.stdout)
	require.Contains(t, human.stderr, "--bogus")
	r := session(t, home, "inspect", "--bogus", "K", "--json")
	require.Equal(t, 64, r.code)
	require.Empty(t, r.stderr)
	require.True(t, json.Valid([]byte(r.stdout)), r.stdout)
	requireEmpty(t, home)
}

func requireEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries, filepath.Join(dir))
}

// Every word that a library or a program reserves is just a key.
func TestKeysThatLookLikeWords(t *testing.T) {
	for _, key := range []string{"help", "h", "completion", "-", "inspect", " ", " x ", "a b", "../x", "日本", "%s", "$HOME", "'", `"`, "--"} {
		t.Run(key, func(t *testing.T) {
			r := session(t, t.TempDir(), "--json", "inspect", "--", key)
			require.Zero(t, r.code, r.stdout)
			var shown struct{ Key, State string }
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &shown))
			require.Equal(t, key, shown.Key)
			require.Equal(t, "vacant", shown.State)
		})
	}
}

func TestOptionsStandBeforeOrAfterKey(t *testing.T) {
	home := t.TempDir()
	want := session(t, home, "--json", "inspect", "K")
	require.Zero(t, want.code, want.stdout)
	require.Equal(t, want, session(t, home, "inspect", "--json", "K"))
	require.Equal(t, want, session(t, home, "inspect", "K", "--json"))
	requireEmpty(t, home)
}

func TestHelpBehindAKeyIsTheCommands(t *testing.T) {
	home := t.TempDir()
	want := session(t, home, "help", "inspect")
	require.Zero(t, want.code)
	require.Contains(t, want.stdout, "session inspect")
	require.Equal(t, want, session(t, home, "inspect", "--help"))
	require.Equal(t, want, session(t, home, "inspect", "K", "--help"))
	require.Contains(t, session(t, home, "--help").stdout, "79 nothing-to-recover")
	requireEmpty(t, home)
}

func TestHelpOfASubcommand(t *testing.T) {
	home := t.TempDir()
	for _, words := range [][]string{{"verdict", "set"}, {"snapshot", "take"}} {
		help := session(t, home, append([]string{"help"}, words...)...)
		require.Zero(t, help.code, help.stderr)
		require.Equal(t, session(t, home, append(words, "--help")...), help)
	}
	for _, words := range [][]string{{"verdict", "nonsense"}, {"inspect", "set"}, {"nonsense"}} {
		require.Equal(t, 64, session(t, home, append([]string{"help"}, words...)...).code, "%q", words)
	}
	requireEmpty(t, home)
}

// What was meant for a server's address never becomes a directory, which would keep
// nobody out elsewhere; and no password in it is repeated.
func TestForeignAddresses(t *testing.T) {
	home := t.TempDir()
	for _, store := range []string{"http://ana:secret@h/x", "etcds://h1:2379/x", "ETCD://h1/x", "etcd:/h1", "etcd:h1:2379"} {
		got := session(t, home, "--store", store, "run", "--no-worktree", "K", "--", "true")
		require.Equal(t, 69, got.code, "%s: %s", store, got.stderr)
		require.Contains(t, got.stderr, "etcd://HOST:PORT/PREFIX")
		require.NotContains(t, got.stderr, "secret")
	}
	left, err := os.ReadDir(home)
	require.NoError(t, err)
	require.Empty(t, left, "nothing was created")
	require.Zero(t, session(t, home, "--store", "./etcd:h1", "run", "--no-worktree", "K", "--", "true").code)
}

func TestWhatBeginsLikeAnAddress(t *testing.T) {
	for path, want := range map[string]string{
		"ETCD:h1": "ETCD:", "etcds://h1": "etcds:", "http://h1": "http:/", "a.b+c-1:/x": "a.b+c-1:/",
		"": "", "dir": "", "c:dir": "", "./etcd:h1": "", "/x:/y": "", "1a:/x": "", "é:/x": "", ":/x": "", "etcd": "",
	} {
		require.Equal(t, want, addressLike(path), path)
	}
}
