package main

import "fmt"

// counts is what a piece of work asks of the system, on both sides.
type counts struct {
	Ours      toll   `json:"ours"`
	Peer      toll   `json:"peer"`              // zero where nobody can be counted
	Allocated int    `json:"allocated"`         // objects, by us
	Missing   string `json:"missing,omitempty"` // why calls could not be counted here
}

// toll is that of one side.
type toll struct {
	Calls     int     `json:"calls"`
	Syncs     int     `json:"syncs"`     // of the calls, those that wait for the disk
	Processor float64 `json:"processor"` // nanoseconds, the kernel's included
}

const countsHeading = `
| row | calls (syncs) | of the peer | processor time | of the peer | allocations |
|---|---|---|---|---|---|
`

func (c counts) line(row string) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", row, c.calls(c.Ours), c.calls(c.Peer),
		inTime(c.Ours.Processor), inTime(c.Peer.Processor), inThousands(c.Allocated))
}

func (c counts) calls(t toll) string {
	switch {
	case t == (toll{}):
		return "–"
	case c.Missing != "":
		return "not counted: " + c.Missing
	}
	return fmt.Sprintf("%s (%d)", inThousands(t.Calls), t.Syncs)
}
