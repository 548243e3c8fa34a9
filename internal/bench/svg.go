package main

import (
	"fmt"
	"math"
	"strings"
)

// The plot's size and margins in pixels.
const (
	width, height = 640, 300
	left, right   = 80, 40
	top, bottom   = 40, 40
)

// svg draws costs from zero on over numbers whose logarithms are evenly apart: medians,
// with a bar from the first to the third quartile.
func (d drawing) svg(points []point) string {
	g := gridOf(points)
	var s strings.Builder
	fmt.Fprintf(&s, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&s, `<rect width="%d" height="%d" fill="white"/>`+"\n", width, height)
	fmt.Fprintf(&s, `<text x="%d" y="24" font-size="14">%s</text>`+"\n", left, d.title)
	g.lines(&s)
	for _, p := range points {
		fmt.Fprintf(&s, `<text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", g.x(p.Of), height-bottom+20, inThousands(p.Of))
	}
	g.line(&s, "#06c", d.ours, points, func(p point) spread { return p.Ours })
	if points[0].Peer.Median > 0 {
		g.line(&s, "#888", d.peer, points, func(p point) spread { return p.Peer })
	}
	s.WriteString("</svg>\n")
	return s.String()
}

// grid says where a number and a cost are.
type grid struct {
	first, decades float64 // logarithms of the numbers
	highest        float64 // nanoseconds
}

func gridOf(points []point) grid {
	g := grid{first: math.Log10(float64(points[0].Of))}
	g.decades = math.Log10(float64(points[len(points)-1].Of)) - g.first
	highest := 0.0
	for _, p := range points {
		highest = max(highest, p.Ours.High, p.Peer.High)
	}
	g.highest = 4 * round(highest*1.1/4)
	return g
}

// round is the next number whose digits are easily read.
func round(n float64) float64 {
	decade := math.Pow(10, math.Floor(math.Log10(n)))
	for _, digits := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if n <= digits*decade {
			return digits * decade
		}
	}
	return 10 * decade
}

func (g grid) x(of int) float64 {
	return left + (width-left-right)*(math.Log10(float64(of))-g.first)/g.decades
}

func (g grid) y(cost float64) float64 {
	return height - bottom - (height-top-bottom)*cost/g.highest
}

// lines draws those of equal cost.
func (g grid) lines(s *strings.Builder) {
	for quarter := range 5 {
		cost := g.highest * float64(quarter) / 4
		label := "0"
		if cost > 0 {
			label = inTime(cost)
		}
		fmt.Fprintf(s, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", left, width-right, g.y(cost), g.y(cost))
		fmt.Fprintf(s, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, g.y(cost)+4, label)
	}
}

// line draws one curve, with its name above its last point.
func (g grid) line(s *strings.Builder, colour, name string, points []point, of func(point) spread) {
	var places []string
	for _, p := range points {
		x, at := g.x(p.Of), of(p)
		places = append(places, fmt.Sprintf("%.1f,%.1f", x, g.y(at.Median)))
		fmt.Fprintf(s, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, g.y(at.Median), colour)
		fmt.Fprintf(s, `<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" stroke="%s"/>`+"\n", x, x, g.y(at.Low), g.y(at.High), colour)
	}
	last := points[len(points)-1]
	fmt.Fprintf(s, `<text x="%d" y="%.1f" text-anchor="end" fill="%s">%s</text>`+"\n", width-right, g.y(of(last).High)-8, colour, name)
	fmt.Fprintf(s, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(places, " "), colour)
}

// inThousands writes a number with a comma after every third digit from the right.
func inThousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", inThousands(n/1000), n%1000)
}
