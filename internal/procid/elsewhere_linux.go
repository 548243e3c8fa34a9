package procid

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// search looks for a process by its number in another namespace than the one that /proc numbers for.
type search struct {
	wanted
	inside   bool // a process of that namespace is shown, so all of them are
	unseen   error
	found    bool
	process  Process
	suspects int // processes that may be the one, of a namespace that we may not know
}

func (here vantage) existsElsewhere(w wanted) (Process, bool, error) {
	s := search{wanted: w, inside: here.shown == w.namespace}
	if err := s.walk(); err != nil {
		return Process{}, false, err
	}
	if s.found {
		return s.process, true, nil
	}
	return Process{}, false, s.doubt(here)
}

// doubt returns nil when not having found the process proves that it does not exist.
func (s *search) doubt(here vantage) error {
	switch {
	case s.unseen != nil:
		return s.unseen
	case s.suspects > 0:
		return fmt.Errorf("%d processes may be it, and their pid namespace may not be read", s.suspects)
	case !s.inside && here.shown != initialNamespace:
		return ErrNamespaceUnseen
	default:
		return here.absent()
	}
}

func (s *search) walk() error {
	pids, err := listProcesses()
	for _, pid := range pids {
		if s.found {
			break
		}
		s.consider(pid)
	}
	return err
}

// consider remembers the first error that kept us from looking at a process.
func (s *search) consider(pid int) {
	v, err := look(pid)
	if err == nil {
		defer v.close()
		err = s.compare(&v)
	}
	if err = unlessGone(err); err != nil && s.unseen == nil {
		s.unseen = err
	}
}

func (s *search) compare(v *view) error {
	status, err := v.dir.readStatus()
	if err != nil {
		return err
	}
	fits := !v.dead && v.stat.startedAs(s.startTicks) && status.ownPID() == s.pid
	namespace, err := v.dir.namespace()
	switch {
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		if fits {
			s.suspects++
		}
		return nil
	case err != nil:
		return err
	case namespace == s.namespace:
		s.inside = true
		s.take(v, fits)
	}
	return nil
}

func (s *search) take(v *view, fits bool) {
	if fits {
		s.found, s.process = true, v.process()
	}
}

func listProcesses() ([]int, error) {
	root, err := openDir(procRoot)
	if err != nil {
		return nil, unreadableProc(err)
	}
	defer root.close()
	pids, err := root.numbers(".")
	if err != nil {
		return nil, unreadableProc(err)
	}
	if len(pids) == 0 {
		return nil, errors.New("/proc shows no process at all")
	}
	return pids, nil
}
