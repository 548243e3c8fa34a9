//go:build !linux

package procid

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
)

// errNotHere says which knowledge this platform lacks.
func errNotHere(what string) error {
	return fmt.Errorf("%s on %s: %w", what, runtime.GOOS, errors.ErrUnsupported)
}

func machineID() string { return "" }

func bootID() *string { return nil }

func ownNamespace() *uint64 { return nil }

// UserName is the login name of the effective user, or uid-1000 where that has none.
func UserName() string {
	uid := strconv.Itoa(os.Geteuid())
	if u, err := user.LookupId(uid); err == nil && u.Username != "" {
		return u.Username
	}
	return "uid-" + uid
}

// Self is this process, without start ticks.
func Self() Process {
	name, err := os.Executable()
	if err != nil {
		name = os.Args[0]
	}
	return Process{PID: os.Getpid(), Program: filepath.Base(name)}
}

// Exists cannot tell here, and returns an error that is errors.ErrUnsupported.
func Exists(*uint64, int, *uint64) (Process, bool, error) {
	return Process{}, false, errNotHere("looking for a process")
}

// ScanNow cannot be done here, and returns an error that is errors.ErrUnsupported.
func ScanNow(context.Context) (*Scan, error) { return nil, errNotHere("scanning processes") }

func (p *scanned) named() Process { return Process{PID: p.PID, StartTicks: p.StartTicks} }

// Holders cannot tell here, and returns an error that is errors.ErrUnsupported.
func Holders(fs.FileInfo) ([]Process, error) { return nil, errNotHere("looking for lock holders") }

// Keepers cannot tell here, and returns an error that is errors.ErrUnsupported.
func Keepers(fs.FileInfo) ([]Process, error) { return nil, errNotHere("looking for lock keepers") }

// CPUTime is not known here.
func CPUTime(Process) (time.Duration, bool) { return 0, false }

// StartedAt is not known here: zero.
func (p Process) StartedAt() time.Time { return time.Time{} }

func workingDirectory(Process) string { return "" }
