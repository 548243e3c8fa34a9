package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// book keeps what the rows came to, from one run to the next.
type book struct {
	Measured string   `json:"measured"` // the day
	Results  []result `json:"results"`
}

func bookDir() string { return filepath.Join(moduleDir(), "testdata", "speed") }

func readBook() (*book, error) {
	b, err := os.ReadFile(filepath.Join(bookDir(), "results.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return &book{}, nil
	}
	if err != nil {
		return nil, err
	}
	var kept book
	return &kept, json.Unmarshal(b, &kept)
}

// enter replaces what was known of a row.
func (b *book) enter(r result) {
	b.Measured = time.Now().UTC().Format(time.DateOnly)
	for n := range b.Results {
		if b.Results[n].Row == r.Row {
			b.Results[n] = r
			return
		}
	}
	b.Results = append(b.Results, r)
}

func (b *book) of(name string) (result, bool) {
	for _, r := range b.Results {
		if r.Row == name {
			return r, true
		}
	}
	return result{}, false
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
		b.plot(dir),
		splice(filepath.Join(moduleDir(), "README.md"), b.table()+b.pictures()),
	)
}
