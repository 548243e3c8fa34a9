package procid

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// status is what /proc/PID/status says, as far as we need it (proc_pid_status(5)). The program name in it is escaped by
// the kernel, so it cannot forge a line.
type status struct {
	tgid int
	// pids are the numbers of the process, from the namespace of /proc down to its own.
	pids         []int
	capabilities uint64 // effective
}

func (d procDir) readStatus() (status, error) {
	var b [4096]byte
	content, err := d.readPiece("status", b[:])
	if err != nil {
		return status{}, err
	}
	return parseStatus(content)
}

// parseStatus fails where there is no NSpid line (before Linux 4.1, or without pid namespaces).
func parseStatus(content []byte) (s status, err error) {
	for line := range bytes.Lines(content) {
		name, value, _ := strings.Cut(string(line), ":")
		if err = s.set(name, strings.Fields(value)); err != nil {
			return status{}, fmt.Errorf("status in /proc: %s: %w", name, err)
		}
	}
	if s.tgid == 0 || len(s.pids) == 0 {
		return status{}, fmt.Errorf("status in /proc without Tgid or NSpid")
	}
	return s, nil
}

func (s *status) set(name string, values []string) (err error) {
	switch {
	case name == "NSpid":
		s.pids, err = parseAll(values)
	case name == "Tgid" && len(values) == 1:
		s.tgid, err = strconv.Atoi(values[0])
	case name == "CapEff" && len(values) == 1:
		s.capabilities, err = strconv.ParseUint(values[0], 16, 64)
	}
	return err
}

func parseAll(values []string) ([]int, error) {
	all := make([]int, len(values))
	for i, value := range values {
		n, err := strconv.Atoi(value)
		if err != nil {
			return nil, err
		}
		all[i] = n
	}
	return all, nil
}

// ownPID is the number of the process in its own pid namespace.
func (s status) ownPID() int { return s.pids[len(s.pids)-1] }
