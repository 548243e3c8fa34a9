package borders

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// checked is a package of this module with the meaning of its names.
type checked struct {
	pkg
	positions *token.FileSet
	files     []*ast.File
	uses      map[*ast.Ident]types.Object
}

// check resolves the names in a package against what the compiler exported of others,
// so that a method is known by its type, however it is spelled or passed on.
func check(t *testing.T, all map[string]pkg, p pkg) checked {
	t.Helper()
	c := checked{pkg: p, positions: token.NewFileSet(), uses: map[*ast.Ident]types.Object{}}
	for _, path := range p.files() {
		f, err := parser.ParseFile(c.positions, path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		c.files = append(c.files, f)
	}
	exported := func(path string) (io.ReadCloser, error) {
		if mapped, ok := p.ImportMap[path]; ok {
			path = mapped
		}
		if all[path].Export == "" {
			return nil, fmt.Errorf("no export data of %q", path)
		}
		return os.Open(all[path].Export)
	}
	config := types.Config{Importer: importer.ForCompiler(c.positions, "gc", exported)}
	_, err := config.Check(p.ImportPath, c.positions, c.files, &types.Info{Uses: c.uses})
	require.NoError(t, err)
	return c
}

// mentions lists where a package names something whose full name matches, as file
// names with that name.
func (c checked) mentions(name *regexp.Regexp) (found []string) {
	for id, object := range c.uses {
		if full := fullName(object); name.MatchString(full) {
			found = append(found, filepath.Base(c.positions.Position(id.Pos()).Filename)+" uses "+full)
		}
	}
	return found
}

// fullName is the name of a function or of a variable of a package, with the path of
// that package, or nothing.
func fullName(object types.Object) string {
	switch o := object.(type) {
	case *types.Func:
		return o.FullName()
	case *types.Var:
		if o.Pkg() != nil && o.Parent() == o.Pkg().Scope() {
			return o.Pkg().Path() + "." + o.Name()
		}
	}
	return ""
}

var clock = regexp.MustCompile(`^time\.(Now|Since|Until|After|AfterFunc|Sleep|Tick|NewTicker|NewTimer)$`)

func TestOwnershipReadsNoClock(t *testing.T) {
	all := load(t)
	require.Empty(t, check(t, all, all[module+"/ownership"]).mentions(clock))
}

// naming is every way of the standard library and of x/sys to give a file a name that
// it did not have, or to take one away from another file.
var naming = regexp.MustCompile(`^(os\.|\(\*os\.Root\)\.|syscall\.|golang\.org/x/sys/unix\.)(Rename|Link|Symlink)\w*$`)

// elsewhere are the files, and packages whole, that may do so without package durable,
// and why. What does harm on purpose may as well.
var elsewhere = map[string]string{
	"admin/evidence":             "evidence is renamed into place once, whole, and never replaced",
	"internal/bench":             "what durable is measured against replaces a file without it",
	"internal/cli/run_report.go": "a status file is no part of a store",
	"internal/gitwork":           "neither a scratch repository nor a restored worktree is part of a store",
	"internal/journal/create.go": "the archive is created once, whole, and never replaced",
}

// The careful way of replacing a record exists once.
func TestOnlyDurableRenamesAndLinks(t *testing.T) {
	all := load(t)
	require.NotEmpty(t, check(t, all, all[module+"/internal/durable"]).mentions(naming), "the rule sees nothing")
	for _, p := range all {
		if !p.ours() || below(p.ImportPath, module+"/internal/durable", module+"/internal/reliability") {
			continue
		}
		for _, mention := range check(t, all, p).mentions(naming) {
			file, _, _ := strings.Cut(mention, " ")
			pkg := strings.TrimPrefix(p.ImportPath, module+"/")
			require.True(t, elsewhere[pkg] != "" || elsewhere[pkg+"/"+file] != "", "%s: %s", pkg, mention)
		}
	}
}

var standard = regexp.MustCompile(`^(os\.Std(out|err)|fmt\.Print(f|ln)?)$`)

// A write to standard output or error whose reader has gone ends a process that lets
// [os.File] do it, and run would leave its command alone. The stream of the CLI does not.
func TestOnlyTheStreamsWriteToStandardOutput(t *testing.T) {
	all := load(t)
	const streams = module + "/internal/cli"
	require.ElementsMatch(t, []string{"app.go uses os.Stdout", "app.go uses os.Stderr"}, check(t, all, all[streams]).mentions(standard))
	for _, path := range all[module+"/cmd/session"].Deps {
		if p := all[path]; p.ours() && path != streams {
			require.Empty(t, check(t, all, p).mentions(standard), path)
		}
	}
}

// Whatever starts a process beside the supervisor would race with its wait for every
// child.
func TestRunStartsNoProcessesBesideTheSupervisor(t *testing.T) {
	const forbidden = `"os/exec"`
	var paths []string
	for _, p := range load(t) {
		if p.ImportPath == module+"/internal/supervise" {
			paths = append(paths, p.files()...)
		}
	}
	run, err := filepath.Glob("../cli/run*.go")
	require.NoError(t, err)
	for _, path := range append(paths, run...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		require.NoError(t, err)
		for _, imported := range f.Imports {
			require.NotEqual(t, forbidden, imported.Path.Value, path)
		}
	}
}
