package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
)

// plots are the curves that are drawn, by their rows.
var plots = []struct{ row, file, title string }{
	{growthRow.name, "sessions.svg", "acquire + release, by the number of sessions in the store"},
	{contendRow.name, "contenders.svg", "each process that contends for one key, by their number"},
}

// plot draws the curves that were measured.
func (b *book) plot(dir string) (err error) {
	for _, p := range plots {
		err = errors.Join(err, b.draw(p.row, filepath.Join(dir, p.file), p.title))
	}
	return err
}

// pictures shows in a page what was drawn.
func (b *book) pictures() string {
	var s strings.Builder
	for _, p := range plots {
		if done, ok := b.of(p.row); ok && len(done.Curve) > 1 {
			fmt.Fprintf(&s, "\n![%s](testdata/speed/%s)\n", p.title, p.file)
		}
	}
	return s.String()
}

func (b *book) draw(row, path, title string) error {
	done, ok := b.of(row)
	if !ok || len(done.Curve) < 2 {
		return nil
	}
	return os.WriteFile(path, []byte(svg(title, done.Curve)), 0o644)
}

// The plot's size and margins in pixels.
const (
	width, height = 640, 300
	left, right   = 80, 20
	top, bottom   = 40, 40
)

// svg draws costs from zero on over numbers whose logarithms are evenly apart.
func svg(title string, curve []point) string {
	highest, last := 0.0, math.Log10(float64(curve[len(curve)-1].Of))
	for _, p := range curve {
		highest = max(highest, p.Cost*1.2)
	}
	first := math.Log10(float64(curve[0].Of))
	x := func(p point) float64 {
		return left + (width-left-right)*(math.Log10(float64(p.Of))-first)/(last-first)
	}
	y := func(cost float64) float64 { return height - bottom - (height-top-bottom)*cost/highest }

	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(&s, `<text x="%d" y="24" font-size="14">%s</text>`+"\n", left, title)
	for _, part := range []float64{0, 0.25, 0.5, 0.75, 1} {
		at := y(part * highest)
		fmt.Fprintf(&s, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", left, width-right, at, at)
		fmt.Fprintf(&s, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, at+4, axis(part*highest))
	}
	points := make([]string, len(curve))
	for n, p := range curve {
		points[n] = fmt.Sprintf("%.1f,%.1f", x(p), y(p.Cost))
		fmt.Fprintf(&s, `<circle cx="%.1f" cy="%.1f" r="3" fill="#06c"/>`+"\n", x(p), y(p.Cost))
		fmt.Fprintf(&s, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(p), height-bottom+20, p.Of)
	}
	fmt.Fprintf(&s, `<polyline points="%s" fill="none" stroke="#06c" stroke-width="2"/>`+"\n</svg>\n", strings.Join(points, " "))
	return s.String()
}

func axis(cost float64) string {
	if cost == 0 {
		return "0"
	}
	return inTime(cost)
}
