package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// book keeps what the rows came to, from one run to the next. Each result says which run
// it is of.
type book struct {
	Results []result `json:"results"`
}

func bookDir() string { return filepath.Join(moduleDir(), "testdata", "speed") }

func readBook(dir string) (*book, error) {
	b, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return &book{}, nil
	}
	if err != nil {
		return nil, err
	}
	var kept book
	return &kept, json.Unmarshal(b, &kept)
}

// enter replaces what was known of a row, keeps the results in the order of the table and
// drops what is of no row any more.
func (b *book) enter(r result) {
	known := b.Results
	b.Results = nil
	for _, name := range names() {
		n := slices.IndexFunc(known, func(old result) bool { return old.Row == name })
		switch {
		case name == r.Row:
			b.Results = append(b.Results, r)
		case n >= 0:
			b.Results = append(b.Results, known[n])
		}
	}
}

func (b *book) of(name string) (result, bool) {
	n := slices.IndexFunc(b.Results, func(r result) bool { return r.Row == name })
	if n < 0 {
		return result{}, false
	}
	return b.Results[n], true
}

// write puts everything where it is shown.
func (b *book) write() error {
	kept, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	dir := bookDir()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "results.json"), append(kept, '\n'), 0o644),
		b.show(moduleDir()),
	)
}

// show draws the plots and puts the table into the page of a module.
func (b *book) show(module string) error {
	return errors.Join(
		b.plot(filepath.Join(module, "testdata", "speed")),
		splice(filepath.Join(module, "README.md"), b.page()),
	)
}
