package procid

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"
)

// maxPasses bounds how often /proc is listed again. Once is not enough: a process whose child got a smaller pid, one
// that the listing had passed, may end before its own turn comes.
const maxPasses = 3

// ScanNow reads /proc once, now. It fails when /proc cannot be read or is not ours (ErrForeignProc); a process that
// may not be looked into is counted, one that vanishes is left out, and any other failure leaves the scan Incomplete.
func ScanNow(ctx context.Context) (*Scan, error) {
	here, err := requireOwnProc()
	if err != nil {
		return nil, err
	}
	s := &Scan{unread: map[int]error{}}
	if s.Hidden, err = here.hides(); err != nil {
		return nil, err
	}
	if err := s.collect(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(s.processes, func(a, b scanned) int { return a.PID - b.PID })
	return s, nil
}

func (s *Scan) collect(ctx context.Context) error {
	seen := map[int]bool{}
	until := time.Now().Add(transitPatience)
	for range maxPasses {
		pids, err := listProcesses()
		if err != nil {
			return err
		}
		before := len(seen)
		for _, pid := range pids {
			if err := ctx.Err(); err != nil {
				return err
			}
			s.addOnce(pid, seen, until)
		}
		if len(seen) == before {
			break
		}
	}
	return nil
}

func (s *Scan) addOnce(pid int, seen map[int]bool, until time.Time) {
	if !seen[pid] {
		seen[pid] = true
		s.add(pid, until)
	}
}

// Nothing tells when a process has come out of execve, so we look again, for as long as reading programs from a slow
// disk may take on a busy machine; the patience is that of a whole scan.
const (
	transitPatience = 2 * time.Second
	transitPause    = 500 * time.Microsecond
)

func (s *Scan) add(pid int, until time.Time) {
	p, err := scanProcess(pid)
	for errors.Is(err, errInTransit) && time.Now().Before(until) {
		time.Sleep(transitPause)
		p, err = scanProcess(pid)
	}
	s.note(pid, err)
	if p.PID != 0 {
		s.processes = append(s.processes, p)
	} else if unlessGone(err) != nil {
		s.unread[pid] = err
	}
}

// scanProcess returns what it found out even with an error, and a zero PID when that is nothing.
func scanProcess(pid int) (scanned, error) {
	v, err := look(pid)
	if err != nil {
		return scanned{}, err
	}
	defer v.close()
	p := scanned{PID: v.stat.pid, StartTicks: v.stat.startTicks, comm: v.stat.comm, parent: v.stat.parent, group: v.stat.group, session: v.stat.session, dead: v.dead}
	if !v.dead && !v.stat.kernelThread() {
		p.operations, err = v.operations()
	}
	return p, err
}

// note keeps what a failed look at a process means. One that vanished lives no more, and only a refusal says that there
// is nothing to be read for us; all else is not having been able to ask.
func (s *Scan) note(pid int, err error) {
	switch {
	case unlessGone(err) == nil:
	case errors.Is(err, fs.ErrPermission):
		s.EnvironUnreadable++
	case s.Incomplete == nil:
		s.Incomplete = fmt.Errorf("process %d: %w", pid, err)
	}
}

// named adds what runs in the process, which is read now, since few of those scanned are ever asked for. One that has
// ended meanwhile has the name that the kernel keeps of a program.
func (p *scanned) named() Process {
	if v, err := look(p.PID); err == nil {
		defer v.close()
		if v.stat.startTicks == p.StartTicks && !v.dead {
			return v.process()
		}
	}
	return Process{PID: p.PID, StartTicks: p.StartTicks, Program: programName(p.comm)}
}
