package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// plots are the curves that are drawn, by their rows.
var plots = []drawing{
	{growthRow.name, "sessions.svg", "acquire + release, by the number of sessions in the store", "acquire + release", "two bare publishes"},
	{contendRow.name, "contenders.svg", "each process that contends for one key, by their number", "a contender", "a bare Go program"},
}

// drawing is what is drawn of a row, and where.
type drawing struct{ row, file, title, ours, peer string }

// plot draws the curves that were measured.
func (b *book) plot(dir string) (err error) {
	for _, d := range plots {
		if points := b.curve(d.row); len(points) > 1 {
			err = errors.Join(err, os.WriteFile(filepath.Join(dir, d.file), []byte(d.svg(points)), 0o644))
		}
	}
	return err
}

// pictures shows in a page what was drawn.
func (b *book) pictures() string {
	var s strings.Builder
	for _, d := range plots {
		if len(b.curve(d.row)) > 1 {
			fmt.Fprintf(&s, "\n![%s](testdata/speed/%s)\n", d.title, d.file)
		}
	}
	return s.String()
}

// curve is that of a row, or nothing.
func (b *book) curve(row string) []point {
	done, _ := b.of(row)
	return done.Curve
}
