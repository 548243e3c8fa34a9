package procid

import (
	"errors"
	"fmt"
)

// Exists reports whether exactly the recorded process still exists, and describes it if so. The namespace is the inode
// number of the pid namespace in which pid was its number; startTicks may be nil, and then every process of that pid
// fits. The caller answers for that the record was made during this boot.
//
// An error means that it could not be told, and never that the answer is no: ErrNamespaceUnknown, ErrNamespaceUnseen,
// ErrHidden, or what kept /proc from being read.
func Exists(namespace *uint64, pid int, startTicks *uint64) (Process, bool, error) {
	if pid <= 0 {
		return Process{}, false, fmt.Errorf("%d is not the number of a process", pid)
	}
	if namespace == nil {
		return Process{}, false, ErrNamespaceUnknown
	}
	here, err := lookAround()
	if err != nil {
		return Process{}, false, err
	}
	w := wanted{namespace: *namespace, pid: pid, startTicks: startTicks}
	if here.own == w.namespace && here.procIsOurs() {
		return here.existsHere(w)
	}
	return here.existsElsewhere(w)
}

// wanted is a recorded process.
type wanted struct {
	namespace  uint64
	pid        int
	startTicks *uint64
}

func (here vantage) existsHere(w wanted) (Process, bool, error) {
	v, err := look(w.pid)
	if errors.Is(err, errGone) {
		return Process{}, false, here.absent()
	}
	if err != nil {
		return Process{}, false, err
	}
	defer v.close()
	found, err := v.is(w)
	if err != nil || !found {
		return Process{}, false, unlessGone(err)
	}
	return v.process(), true, nil
}

// is compares all but the namespace. A thread id has a directory in /proc too, and is told by its other Tgid.
func (v *view) is(w wanted) (bool, error) {
	if v.dead || !v.stat.startedAs(w.startTicks) {
		return false, nil
	}
	s, err := v.dir.readStatus()
	return err == nil && s.tgid == w.pid, err
}

// absent returns nil when a process that /proc does not show does not exist.
func (here vantage) absent() error {
	hides, err := here.hides()
	if err == nil && hides {
		err = ErrHidden
	}
	return err
}
