package supervise

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"holdfast/internal/procid"
)

// Process is a descendant as it was seen last.
type Process = procid.Process

// family is what was started and lives, at one moment. It serves to choose whom to
// signal and to name; that it is empty proves nothing.
type family struct {
	all   []Process // this process's descendants
	group []Process // CMD, and those of them in CMD's group
}

// lookUp reads the family from /proc.
func (c *child) lookUp() (family, error) {
	scan, err := procid.ScanNow(context.Background())
	if err != nil {
		return family{}, err
	}
	f := family{all: scan.Descendants(os.Getpid())}
	members := append(scan.Group(c.group), scan.Group(c.pid)...)
	for _, p := range f.all {
		if slices.Contains(members, p) || c.alive && p.PID == c.pid {
			f.group = append(f.group, p)
		}
	}
	return f, nil
}

// maxNamed bounds how many processes a line for people names.
const maxNamed = 5

func names(processes []Process) string {
	var b strings.Builder
	for i, p := range processes {
		switch {
		case i == maxNamed:
			fmt.Fprintf(&b, " and %d more", len(processes)-i)
			return b.String()
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s (pid %d)", p.Program, p.PID)
	}
	return b.String()
}
