package gitwork_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

// kind is a repository of the matrix, as testdata/gitwork/kinds.sh describes it.
type kind struct {
	name    string
	why     string
	want    map[string]string
	control string   // commands that make plain git leave marks
	ran     []string // the marks
	prelude string
	script  string
}

const (
	kindsFile = "../../testdata/gitwork/kinds.sh"
	prelude   = "prelude"
)

func readKinds(t testing.TB) []kind {
	t.Helper()
	b, err := os.ReadFile(kindsFile)
	require.NoError(t, err)
	var first string
	var kinds []kind
	for _, section := range strings.Split(string(b), "\n### ")[1:] {
		k := parseKind(section)
		if k.name == prelude {
			first = k.script
			continue
		}
		k.prelude, k.script = first, first+"cd \"$D\"\n"+k.script
		kinds = append(kinds, k)
	}
	require.NotEmpty(t, kinds)
	return kinds
}

// someKinds are those in which a program could be started, and one of every so many others; all, in a long run.
func someKinds(t testing.TB, every int) (some []kind) {
	t.Helper()
	for n, k := range readKinds(t) {
		if k.control != "" || n%testkit.Rounds(every, 1) == 0 {
			some = append(some, k)
		}
	}
	return some
}

func parseKind(section string) kind {
	head, body, _ := strings.Cut(section, "\n")
	k := kind{want: map[string]string{"TOP": "repo", "objects": "bundle"}, script: body + "\n"}
	k.name, k.why, _ = strings.Cut(head, ": ")
	for line := range strings.Lines(body) {
		if value, ok := strings.CutPrefix(line, "# want: "); ok {
			for _, word := range strings.Fields(value) {
				name, value, _ := strings.Cut(word, "=")
				k.want[name] = value
			}
		}
		if value, ok := strings.CutPrefix(line, "# control: "); ok {
			k.control = value
		}
		if value, ok := strings.CutPrefix(line, "# ran: "); ok {
			k.ran = strings.Fields(value)
		}
	}
	return k
}

var (
	templateOnce sync.Once
	templateDir  string
)

// template makes the repository that most kinds begin as, once.
func template(t testing.TB, prelude string) string {
	t.Helper()
	templateOnce.Do(func() {
		dir := filepath.Join(os.Getenv("HOME"), "template")
		require.NoError(t, os.Mkdir(dir, 0o755))
		shell(t, dir, prelude+"cd \"$D\"; first base")
		templateDir = filepath.Join(dir, "base")
	})
	return templateDir
}

// build makes the repository in a directory that it returns, with the top of the working tree.
func (k kind) build(t testing.TB) (dir, top string) {
	t.Helper()
	dir = t.TempDir()
	shell(t, dir, "BASE="+template(t, k.prelude)+"\n"+k.script)
	removeMarks(t, dir)
	return dir, filepath.Join(dir, k.want["TOP"])
}

func marks(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "ran.*"))
	require.NoError(t, err)
	return names
}

func removeMarks(t testing.TB, dir string) {
	t.Helper()
	for _, name := range marks(t, dir) {
		require.NoError(t, os.Remove(name))
	}
}
