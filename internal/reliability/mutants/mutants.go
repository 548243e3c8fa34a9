// Package mutants holds that a defect would be found.
//
// A mutant is the project with one defect, as a compiler's overlay: a file beside the
// source that no build sees unless it is told to, so that a mutant can never reach a
// release. Each names the test that kills it. The gate runs that test on the mutant, and
// a mutant that survives fails the gate.
package mutants

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"

	"holdfast/internal/reliability/lab"
)

//go:embed testdata/*.txtar
var files embed.FS

// Mutant is one defect.
type Mutant struct {
	Name    string
	Why     string
	File    string // below the root of the module
	Package string // of the test that kills it
	Test    string // a pattern of its name
	edits   []edit
}

func (m Mutant) String() string { return m.Name }

// edit replaces one passage, which comes once.
type edit struct{ old, new string }

// All returns every mutant.
func All() (all []Mutant, err error) {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		b, err := files.ReadFile("testdata/" + e.Name())
		if err != nil {
			return nil, err
		}
		m, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), txtar.Parse(b))
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

func parse(name string, a *txtar.Archive) (Mutant, error) {
	m := Mutant{Name: name}
	for line := range strings.Lines(string(a.Comment)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch word {
		case "why":
			m.Why = rest
		case "file":
			m.File = rest
		case "test":
			m.Package, m.Test, _ = strings.Cut(rest, " ")
		}
	}
	for i := 0; i+1 < len(a.Files); i += 2 {
		m.edits = append(m.edits, edit{trim(a.Files[i]), trim(a.Files[i+1])})
	}
	if m.Why == "" || m.File == "" || m.Test == "" || len(m.edits) == 0 {
		return m, fmt.Errorf("mutant %s is not whole", name)
	}
	return m, nil
}

func trim(f txtar.File) string { return strings.TrimSuffix(string(f.Data), "\n") }

// Source returns the mutant's file with its defect. Root is that of the module.
func (m Mutant) Source(root string) (string, error) {
	b, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return "", err
	}
	s := string(b)
	for _, e := range m.edits {
		if n := strings.Count(s, e.old); n != 1 {
			return "", fmt.Errorf("mutant %s: %s has the passage %q %d times: it was changed, so change the mutant in internal/reliability/mutants/testdata too", m.Name, m.File, e.old, n)
		}
		s = strings.Replace(s, e.old, e.new, 1)
	}
	return s, nil
}

// Run is the gate: it runs the test of each mutant with and without the defect.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("mutants", p.Seed)
	root, err := moduleRoot(ctx)
	if err != nil {
		return r, err
	}
	all, err := All()
	if err != nil {
		return r, err
	}
	dir, err := os.MkdirTemp("", "holdfast-mutants-")
	if err != nil {
		return r, err
	}
	defer os.RemoveAll(dir)
	all = slices.DeleteFunc(all, func(m Mutant) bool { return !strings.HasPrefix(m.Name, p.Only) })
	var some []Mutant
	for _, i := range p.Chosen(lab.NamesOf(all)) {
		some = append(some, all[i])
	}
	if err := pass(ctx, root, some); err != nil {
		return r, err
	}
	p.Each(ctx, len(some), func(ctx context.Context, _, i int) {
		m := some[i]
		r.Count("mutants", 1)
		if err := m.dies(ctx, root, dir); err != nil {
			r.Fault(m.Name, err.Error())
			return
		}
		r.Count("killed by their test", 1)
		if p.Log != nil {
			fmt.Fprintf(p.Log, "  killed: %s (%s)\n", m.Name, m.Why)
		}
	})
	return r, nil
}

// pass holds that the tests pass without a defect, so that it is the defect that fails
// them.
func pass(ctx context.Context, root string, some []Mutant) error {
	tests := map[string][]string{}
	for _, m := range some {
		tests[m.Package] = append(tests[m.Package], m.Test)
	}
	for _, pkg := range slices.Sorted(maps.Keys(tests)) {
		m := Mutant{Package: pkg, Test: strings.Join(tests[pkg], "|")}
		if out, err := m.test(ctx, root); err != nil {
			return fmt.Errorf("%s %s fails without a defect: %w\n%s", pkg, m.Test, err, out)
		}
	}
	return nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}

// notKept is an exit code that no test has: what it left may still be there, or it did not run.
const notKept = 98

// dies returns why the test did not kill the mutant.
func (m Mutant) dies(ctx context.Context, root, dir string) error {
	overlay, err := m.overlay(root, dir)
	if err != nil {
		return err
	}
	out, err := m.test(ctx, root, "-overlay", overlay)
	var failed *exec.ExitError
	switch {
	case err == nil:
		return fmt.Errorf("SURVIVED %s %s: %s", m.Package, m.Test, m.Why)
	case !errors.As(err, &failed) || failed.ExitCode() == notKept || strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
		return fmt.Errorf("was not tested: %w\n%s", err, out)
	}
	return nil
}

func (m Mutant) test(ctx context.Context, root string, flags ...string) (string, error) {
	args := append([]string{"go", "test", "-count=1", "-timeout=3m", "-vet=off", "-ldflags=-s -w", "-run", "^(" + m.Test + ")$"}, flags...)
	cmd := kept(ctx, append(args, m.Package)...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err == nil && strings.Contains(string(out), "no tests to run") {
		err = errors.New("there is no such test")
	}
	return string(out), err
}

// overlay writes what the compiler reads in the place of the mutant's file.
func (m Mutant) overlay(root, dir string) (string, error) {
	source, err := m.Source(root)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, m.Name+".go")
	b, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, m.File): changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, m.Name+".json")
	return overlay, errors.Join(os.WriteFile(changed, []byte(source), 0o600), os.WriteFile(overlay, b, 0o600))
}
