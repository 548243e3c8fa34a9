package probe

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"holdfast/internal/procid"
	"holdfast/ownership"
)

// KindProcess is the runtime that is one process, which its owner did not start: its
// handle is PID@STARTTICKS, two decimal numbers.
const KindProcess = "process"

// errOtherBoot is returned for a process that was declared in another boot than this
// one, on a machine that may still be in it.
var errOtherBoot = errors.New("it was declared on another machine, or in a boot that cannot be compared with this one")

// ParseProcess reads the handle of a runtime of kind [KindProcess].
func ParseProcess(handle string) (procid.Process, error) {
	pid, ticks, _ := strings.Cut(handle, "@")
	p, errPID := strconv.ParseUint(pid, 10, 31)
	t, errTicks := strconv.ParseUint(ticks, 10, 64)
	if errPID != nil || errTicks != nil || p == 0 || t == 0 {
		return procid.Process{}, fmt.Errorf("%.80q is not PID@STARTTICKS, two decimal numbers", handle)
	}
	return procid.Process{PID: int(p), StartTicks: t}, nil
}

// ProcessHandle returns the handle of the process that has this number now, as seen
// from here.
func ProcessHandle(pid int) (string, error) {
	p, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, pid, nil)
	switch {
	case err != nil:
		return "", err
	case !exists:
		return "", fmt.Errorf("there is no process %d", pid)
	}
	return fmt.Sprintf("%d@%d", pid, p.StartTicks), nil
}

// FindProcess looks for exactly the process that a record declares as its runtime: by
// its number where the record's owner ran. It reports false only of a process that has
// certainly ended; an error means that it could not be told.
func FindProcess(r ownership.Record) (procid.Process, bool, error) {
	named, err := ParseProcess(r.Session.Runtime.Handle)
	if err != nil {
		return procid.Process{}, false, err
	}
	here := procid.ThisHost()
	switch o := r.Owner; {
	case o == nil:
		return procid.Process{}, false, errors.New("the record does not say where it was declared")
	case same(o.BootID, here.BootID):
		return procid.Exists(o.PIDNamespace, named.PID, &named.StartTicks)
	case o.BootID != nil && here.BootID != nil && o.HostID != nil && here.ID != nil && o.HostID.String() == *here.ID:
		return procid.Process{}, false, nil // this machine has restarted since
	}
	return procid.Process{}, false, errOtherBoot
}

// RuntimeOf asks whether the runtime of a record is alive, as [Runtime] does, and knows
// of which boot and pid namespace the numbers in a handle are. A record without a
// runtime has none that is alive.
func RuntimeOf(ctx context.Context, r ownership.Record) (alive bool, detail string, err error) {
	switch rt := r.Session.Runtime; {
	case rt == nil:
		return false, "no runtime is recorded", nil
	case rt.Kind == KindProcess:
		p, exists, err := FindProcess(r)
		return told(p, rt.Handle, exists, err)
	default:
		return Runtime(ctx, *rt)
	}
}

// processHere asks for a process that was declared in this boot and pid namespace.
func processHere(handle string) (alive bool, detail string, err error) {
	named, err := ParseProcess(handle)
	if err != nil {
		return false, "", err
	}
	p, exists, err := procid.Exists(procid.ThisHost().PIDNamespace, named.PID, &named.StartTicks)
	return told(p, handle, exists, err)
}

func told(p procid.Process, handle string, exists bool, err error) (bool, string, error) {
	switch {
	case err != nil:
		return false, "", err
	case exists:
		return true, name(p) + " still runs", nil
	}
	return false, fmt.Sprintf("the process %s has ended", handle), nil
}
