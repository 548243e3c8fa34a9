package surroundings

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
)

// mount mounts a file system in memory where the store is to be.
func (v *visit) mount(options string) bool {
	if !v.must(os.MkdirAll(v.store(), 0o700)) || !v.tool("mount", "-t", "tmpfs", "-o", options+",mode=700", "tmpfs", v.store()) {
		return false
	}
	v.later(func() { _ = exec.Command("umount", "-l", v.store()).Run() }) // perhaps it is gone already
	return true
}

func (v *visit) tool(words ...string) bool {
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		v.fault("%q: %v: %s", words, err, out)
	}
	return err == nil
}

func (v *visit) remount(options string) bool {
	return v.tool("mount", "-o", "remount,"+options, v.store())
}

// fill writes until there is no room.
func (v *visit) fill() {
	f, err := os.Create(filepath.Join(v.store(), "sessions", lab.Digest.String(), "pulse.json.0011223344556677"))
	if !v.must(err) {
		return
	}
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		v.fault("fill: %v", err)
	}
	f.Close()
}

// full: an acquire fails cleanly; a release that cannot be written says that the
// session is still active; with room again it is recovered.
func full(v *visit) {
	if !v.mount("size=64k") {
		return
	}
	v.expect([]int{0}, nil, acquireAndRelease...)
	o := v.own(nil)
	if o == nil {
		return
	}
	v.fill()
	if code := o.end(); code == 0 || !strings.Contains(o.stderr.String(), "active") {
		v.fault("a release without room ends with %d: %s", code, o.stderr)
	}
	v.remount("size=1m")
	revision := v.expectState("stranded", "unproven")
	v.expect([]int{0}, nil, "recover", lab.Key, "--expect", revision, "--force", "--accept-unproven", "--no-snapshot")
	before := v.record()
	v.fillAgain()
	v.expect([]int{69, 74}, nil, acquireAndRelease...)
	if after := v.record(); after != before {
		v.fault("an acquire that failed changed the record")
	}
	v.remount("size=4m")
	v.expect([]int{0}, nil, acquireAndRelease...)
	v.expect([]int{0}, nil, "prune", "--older-than", "0s")
}

func (v *visit) fillAgain() {
	v.must(os.RemoveAll(filepath.Join(v.store(), "sessions", lab.Digest.String(), "pulse.json.0011223344556677")))
	v.fill()
}

func (v *visit) record() string {
	b, err := os.ReadFile(filepath.Join(v.store(), "sessions", lab.Digest.String(), "record.json"))
	v.must(err)
	return string(b)
}

// mostInodes is more than a session needs.
const mostInodes = 24

// numbers names the first n numbers.
func numbers(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	return names
}

// noInodes: with any number of inodes, it works or says that it does not.
func noInodes(v *visit) {
	for _, i := range v.plan.Chosen(numbers(mostInodes - 1)) {
		n := i + 2 // with fewer there is no root directory
		if !v.mount(fmt.Sprintf("nr_inodes=%d,size=1m", n)) {
			return
		}
		v.expect([]int{0, 69, 74}, nil, acquireAndRelease...)
		v.sound()
		v.remount("nr_inodes=1000")
		h := check.History{lab.Digest: {Unanswered: 2}}
		v.report.Fault(fmt.Sprintf("%s: %d", v.where, n), lab.JudgeAndCare(v.ctx, v.store(), h)...)
		if !v.tool("umount", "-l", v.store()) {
			return
		}
	}
}

// readOnly: what looks works, and what changes something says why it does not.
func readOnly(v *visit) {
	if !v.mount("size=1m") {
		return
	}
	v.expect([]int{0}, nil, acquireAndRelease...)
	if !v.remount("ro") {
		return
	}
	v.expectState("idle")
	v.expect([]int{0}, nil, "list")
	v.expect([]int{69, 74, 77}, nil, acquireAndRelease...)
	v.sound()
}

// takenAway: an owner whose store is gone does not end as if it had released, and
// creates none in its place.
func takenAway(v *visit) {
	if !v.mount("size=1m") {
		return
	}
	o := v.own(nil)
	if o == nil || !v.tool("umount", "-l", v.store()) {
		return
	}
	if code := o.end(); code == 0 {
		v.fault("the owner ends with 0: %s", o.stderr)
	}
	left, err := os.ReadDir(v.store())
	if v.must(err) && len(left) > 0 {
		v.fault("something was created below the mount: %v", left)
	}
}
