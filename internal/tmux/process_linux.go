package tmux

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Program names that tmux gives its processes (proc_start in its proc.c).
const (
	serverName = "tmux: server"
	clientName = "tmux: client"
)

// process is what tells a tmux server of ours from other processes. Its zero value is no process.
type process struct {
	name string // of the program, by itself
	exe  string // base name of its file; empty when it may not be read
	euid string
	dead bool // a zombie
}

// examine returns the zero process when there is none, or /proc hides from us what it is: then it is another user's, as
// far as can be seen.
func examine(pid int) (process, error) {
	content, err := os.ReadFile(procPath(pid, "status"))
	if gone(err) || errors.Is(err, os.ErrPermission) {
		return process{}, nil
	}
	if err != nil {
		return process{}, err
	}
	p, err := parseStatus(content)
	if err != nil {
		return process{}, fmt.Errorf("%s: %w", procPath(pid, "status"), err)
	}
	exe, _ := os.Readlink(procPath(pid, "exe")) // the name is enough where that is not permitted
	p.exe = strings.TrimSuffix(path.Base(exe), " (deleted)")
	return p, nil
}

// parseStatus reads proc_pid_status(5). The name in it is escaped by the kernel, so it cannot forge a line.
func parseStatus(content []byte) (p process, err error) {
	for line := range bytes.Lines(content) {
		key, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), ":\t")
		switch key {
		case "Name":
			p.name = value
		case "State":
			p.dead = strings.HasPrefix(value, "Z") || strings.HasPrefix(value, "X")
		case "Uid": // real, effective, saved, file system
			if ids := strings.Fields(value); len(ids) == 4 {
				p.euid = ids[1]
			}
		}
	}
	if p.euid == "" {
		return process{}, errors.New("no effective user in it")
	}
	return p, nil
}

// IsServer reports whether the process of this number is a tmux server of this user, or may be one.
func IsServer(pid int) bool {
	p, err := examine(pid)
	return err != nil || p.mayServe()
}

// mayServe reports whether it is a process of this user that runs tmux, and not as a client.
func (p process) mayServe() bool {
	ours := p.euid == strconv.Itoa(os.Geteuid()) && !p.dead
	runsTmux := p.exe == "tmux" || p.name == "tmux" || p.isServer()
	return ours && runsTmux && !strings.HasPrefix(p.name, clientName)
}

// isServer reports whether it calls itself a server; where tmux cannot set its name, a server does not.
func (p process) isServer() bool { return strings.HasPrefix(p.name, serverName) }

// gone reports whether an error from /proc means that what was looked at has ended.
func gone(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ESRCH) }

func procPath(pid int, name string) string {
	return fmt.Sprintf("/proc/%d/%s", pid, name)
}
