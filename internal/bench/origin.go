package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// origin is the run that a figure comes from.
type origin struct {
	Run     string `json:"run"` // when it began, which no other run did
	Machine string `json:"machine"`
}

// originOf is that of a run which begins now and measures on the disk of a directory.
func originOf(dir string) origin {
	machine := fmt.Sprintf("%d × %s, %s, %s, %s", runtime.NumCPU(), processor(), kernel(), fileSystem(dir), runtime.Version())
	return origin{time.Now().UTC().Format("2006-01-02 15:04:05") + " UTC", machine}
}

// processor is the name of the first one; elsewhere than on Linux the architecture.
func processor() string {
	b, _ := os.ReadFile("/proc/cpuinfo") // there is none: the architecture is all that is known
	for line := range strings.Lines(string(b)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// kernel is its name and number, without what a distribution adds.
func kernel() string {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return runtime.GOOS
	}
	number, _, _ := strings.Cut(unix.ByteSliceToString(name.Release[:]), "-")
	return unix.ByteSliceToString(name.Sysname[:]) + " " + number
}

// fileSystem is the kind of the one that a directory is on, as the kernel lists it.
func fileSystem(dir string) string {
	b, _ := os.ReadFile("/proc/self/mounts")
	mount, kind := "", ""
	for line := range strings.Lines(string(b)) {
		words := strings.Fields(line)
		if len(words) > 2 && within(dir, words[1]) && len(words[1]) >= len(mount) {
			mount, kind = words[1], words[2]
		}
	}
	return cmp.Or(kind, "a file system that is not known")
}

func within(path, dir string) bool {
	below, err := filepath.Rel(dir, path)
	return err == nil && below != ".." && !strings.HasPrefix(below, "../")
}
