// Package borders holds the packages of this module to who may import whom.
package borders

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "holdfast"

// pkg is what `go list` says of a package.
type pkg struct {
	ImportPath   string
	Dir          string
	Export       string
	GoFiles      []string
	Imports      []string
	TestImports  []string
	XTestImports []string
	Deps         []string
	Module       *struct{ Main bool }
	ImportMap    map[string]string
}

func (p pkg) ours() bool { return p.Module != nil && p.Module.Main }

func (p pkg) files() (paths []string) {
	for _, name := range p.GoFiles {
		paths = append(paths, filepath.Join(p.Dir, name))
	}
	return paths
}

// load lists the packages of this module and all that they need, by import path.
func load(t *testing.T) map[string]pkg {
	t.Helper()
	all, err := listed()
	require.NoError(t, err)
	return all
}

// listed is what `go list` says, asked once.
var listed = sync.OnceValues(func() (map[string]pkg, error) {
	cmd := exec.Command("go", "list", "-deps", "-export", "-json", module+"/...")
	cmd.Dir = "../.."
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	all := map[string]pkg{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
})

// below reports whether path is one of the trees or inside one.
func below(path string, trees ...string) bool {
	return slices.ContainsFunc(trees, func(tree string) bool {
		return path == tree || strings.HasPrefix(path, tree+"/")
	})
}

// pure is all that package ownership may import: nothing that could look at a clock
// (see TestOwnershipReadsNoClock), a file, a process or the network.
var pure = []string{
	"bytes", "cmp", "encoding/hex", "encoding/json", "errors", "fmt", "hash", "maps", "path", "regexp", "slices",
	"math/bits", "strconv", "strings", "time", "unicode", "unicode/utf8", "lukechampine.com/blake3", "lukechampine.com/blake3/guts",
}

func TestOwnershipIsPure(t *testing.T) {
	all := load(t)
	require.Contains(t, all, module+"/ownership")
	require.Subset(t, pure, all[module+"/ownership"].Imports)
}

// layers go from the ground up: a package may need those of its own layer and of the
// ones before.
var layers = [][]string{
	{module + "/ownership"},
	{module + "/lease"},
	{module + "/lease/dirstore", module + "/lease/etcdstore"},
	{module + "/admin"},
	{module + "/internal/cli"},
	{module + "/cmd"},
}

// layerOf is -1 for the packages that serve several layers.
func layerOf(path string) int {
	for i := len(layers) - 1; i >= 0; i-- {
		if below(path, layers[i]...) {
			return i
		}
	}
	return -1
}

// cmd → admin → lease → ownership; stores → lease, ownership; nothing imports cmd.
func TestLayers(t *testing.T) {
	for _, p := range load(t) {
		layer := layerOf(p.ImportPath)
		for _, dep := range p.Deps {
			if p.ours() && layer >= 0 {
				require.LessOrEqual(t, layerOf(dep), layer, "%s needs %s", p.ImportPath, dep)
			}
		}
		for _, imported := range p.Imports {
			require.False(t, below(imported, module+"/cmd"), "%s imports %s", p.ImportPath, imported)
		}
	}
}

// Stores do not know each other, and what decides does not know a store.
func TestStoresAreApart(t *testing.T) {
	for _, p := range load(t) {
		for _, store := range layers[2] {
			if below(p.ImportPath, module+"/lease", module+"/ownership") && !below(p.ImportPath, store) {
				require.NotContains(t, p.Deps, store, p.ImportPath)
			}
		}
	}
}

// soleImporter names the one place that knows a heavy dependency.
var soleImporter = map[string]string{
	"go.etcd.io/bbolt":              module + "/internal/journal",
	"go.etcd.io/etcd":               module + "/lease/etcdstore",
	"github.com/klauspost/compress": module + "/cmd/session-zstd",
	"github.com/ncruces/go-sqlite3": module + "/internal/sqlitecopy",
	"modernc.org/sqlite":            module + "/internal/sqlitecopy", // its tests: another SQLite to copy from
}

// peers are the programs that benchmarks measure ours against.
const peers = module + "/internal/bench/peers"

func TestSoleImporters(t *testing.T) {
	for _, p := range load(t) {
		for dependency, importer := range soleImporter {
			if !p.ours() || below(p.ImportPath, importer, peers) {
				continue
			}
			for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
				require.False(t, below(imported, dependency), "%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// without are what each command does without.
var without = map[string][]string{
	module + "/cmd/session":      {"go.etcd.io/etcd", "modernc.org", "database/sql", "github.com/klauspost/compress", "regexp"},
	module + "/cmd/session-etcd": {"modernc.org", "database/sql", "github.com/klauspost/compress"},
	module + "/cmd/session-zstd": {module + "/ownership", module + "/lease", module + "/admin", module + "/internal/gitwork"},
}

// The host's package and the stores never open the archive of history, and a host pays at no
// start for crypto/rand, which internal/random stands for on Linux. The one command most
// people need does without etcd; no start of it pays for an SQLite or for what compresses,
// nor for package unicode's tables, which a regular expression has made.
func TestHeavyDependenciesStayAway(t *testing.T) {
	for _, p := range load(t) {
		for _, dep := range p.Deps {
			if below(p.ImportPath, module+"/lease", module+"/ownership") {
				require.False(t, below(dep, "go.etcd.io/bbolt"), "%s needs %s", p.ImportPath, dep)
			}
			if p.ImportPath == module+"/lease/dirstore" && runtime.GOOS == "linux" {
				require.False(t, below(dep, "crypto/rand"), "%s needs %s", p.ImportPath, dep)
			}
			require.False(t, below(dep, without[p.ImportPath]...), "%s needs %s", p.ImportPath, dep)
		}
	}
}

// What serves tests stays out of the commands.
func TestCommandsCarryNoTests(t *testing.T) {
	for _, p := range load(t) {
		if p.ours() && below(p.ImportPath, module+"/cmd") {
			require.NotContains(t, p.Deps, "testing", p.ImportPath)
		}
	}
}

// What does harm is reached by tests and by its own command alone.
func TestReliabilityStaysApart(t *testing.T) {
	const reliability = module + "/internal/reliability"
	for _, p := range load(t) {
		for _, imported := range p.Imports {
			require.False(t, below(imported, reliability) && !below(p.ImportPath, reliability), "%s imports %s", p.ImportPath, imported)
		}
	}
}
