package tmux

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"
)

// A server that starts has no socket yet, one that ends has none any more, and a child that it has just forked looks
// like it until execve. Nothing tells when that is over, so we look again. Tests of what stays as it is look less often.
var passes = 40

const betweenPasses = 25 * time.Millisecond

// elsewhere lists the servers of this user that /proc shows and that do not listen at the sockets asked already. With an
// error the list is incomplete: /proc cannot be read, or a server runs that cannot be asked.
func elsewhere(ctx context.Context, asked []server) (found []running, err error) {
	known := map[int]bool{}
	for _, s := range asked {
		if pid, err := listener(s.path()); err == nil {
			known[pid] = true
		}
	}
	for range passes {
		if found, err = look(known); err == nil || ctx.Err() != nil {
			break
		}
		time.Sleep(betweenPasses)
	}
	return found, err
}

// look passes over /proc once.
func look(known map[int]bool) (found []running, err error) {
	pids, err := listProcesses()
	if err != nil {
		return nil, err
	}
	var faults error
	for _, pid := range pids {
		if known[pid] {
			continue
		}
		socket, err := socketOf(pid)
		faults = errors.Join(faults, err)
		if socket != "" {
			found = append(found, running{socket, pid})
		}
	}
	return found, faults
}

func listProcesses() (pids []int, err error) {
	// Without ourselves in it, it is not the /proc that shows this user's processes.
	if _, err := os.Stat("/proc/self/status"); err != nil {
		return nil, err
	}
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// ends reports whether the process is soon no server of this user any more, which one that leaves takes a moment for.
func (r running) ends(ctx context.Context) bool {
	for range passes {
		p, err := examine(r.pid)
		if err == nil && !p.mayServe() {
			return true
		}
		if ctx.Err() != nil {
			break
		}
		time.Sleep(betweenPasses)
	}
	return false
}
