package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"holdfast/internal/procid"
)

// ErrInside is returned when this very process runs in the session that it is to interrupt or destroy.
var ErrInside = errors.New("this command runs in that session itself")

// Pane is a pane of a session whose program runs.
type Pane struct {
	ID     string // tmux's own, like %5
	PID    int    // of the program
	Shared bool   // other sessions show it too, and it outlives this one
	Active bool   // what is typed in the session goes there
}

// Panes lists the panes of the session whose programs run.
func (s *Session) Panes(ctx context.Context) ([]Pane, error) {
	out, err := s.at.command(ctx, "list-panes", "-s", "-t", s.ID, "-F",
		"#{pid} #{start_time} #{pane_id} #{pane_pid} #{pane_dead} #{window_linked_sessions} #{&&:#{window_active},#{pane_active}}")
	if err != nil {
		return nil, explained(err)
	}
	var all []Pane
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) != 7 || !strings.HasPrefix(fields[2], "%") || !isID(fields[2]) {
			return nil, fmt.Errorf("unexpected answer %q", line)
		}
		if fields[0] != strconv.Itoa(s.pid) || fields[1] != s.since {
			return nil, ErrReplaced
		}
		pid, err := strconv.Atoi(fields[3])
		if err != nil {
			return nil, fmt.Errorf("unexpected answer %q", line)
		}
		if fields[4] != "1" { // the number of a dead one can be anybody's by now
			all = append(all, Pane{ID: fields[2], PID: pid, Shared: fields[5] != "1", Active: fields[6] == "1"})
		}
	}
	return all, nil
}

// Processes lists what runs in the panes that end with the session: the program of each, what that started, and what
// shares its terminal's session, in the order of pids. An error means that the list cannot be had or is not complete.
func (s *Session) Processes(ctx context.Context) ([]procid.Process, error) {
	panes, err := s.Panes(ctx)
	if err != nil {
		return nil, err
	}
	scan, err := procid.ScanNow(ctx)
	if err != nil {
		return nil, err
	}
	var all []procid.Process
	for _, p := range panes {
		if !p.Shared {
			all = append(all, processesOf(scan, s.pid, p)...)
		}
	}
	slices.SortFunc(all, func(a, b procid.Process) int { return a.PID - b.PID })
	all = slices.Compact(all)
	if slices.ContainsFunc(all, func(p procid.Process) bool { return p.PID == os.Getpid() }) {
		return nil, ErrInside
	}
	return all, scan.Incomplete
}

// Programs names for certain the program of each pane that ends with the session.
func (s *Session) Programs(ctx context.Context) ([]procid.Process, error) {
	panes, err := s.Panes(ctx)
	if err != nil {
		return nil, err
	}
	scan, err := procid.ScanNow(ctx)
	if err != nil {
		return nil, err
	}
	var all []procid.Process
	for _, p := range panes {
		if !p.Shared {
			all = append(all, programOf(scan, s.pid, p)...)
		}
	}
	return all, scan.Incomplete
}

// programOf takes a pane's program only for a child of the server: its number may have been given again since tmux said
// it.
func programOf(scan *procid.Scan, server int, p Pane) []procid.Process {
	return slices.DeleteFunc(scan.Children(server), func(c procid.Process) bool { return c.PID != p.PID })
}

func processesOf(scan *procid.Scan, server int, p Pane) []procid.Process {
	program := programOf(scan, server, p)
	if len(program) == 0 {
		return nil
	}
	return slices.Concat(program, scan.Descendants(p.PID), scan.Session(p.PID))
}

// Interrupt types Ctrl-C into every pane of the session. A pane that shows its history, or a menu, shows its program
// again first: what is typed goes there else.
func (s *Session) Interrupt(ctx context.Context) error {
	if _, err := s.Processes(ctx); errors.Is(err, ErrInside) {
		return err
	}
	panes, err := s.Panes(ctx)
	if err != nil {
		return err
	}
	var commands []string
	for _, p := range panes {
		commands = append(commands, fmt.Sprintf("copy-mode -q -t '%s' ; send-keys -t '%s' C-c", p.ID, p.ID))
	}
	if len(commands) == 0 {
		return nil
	}
	return s.do(ctx, strings.Join(commands, " ; "))
}

// explained adds what tmux said.
func explained(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("tmux: %s", strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}
