package surroundings

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/lab"
)

// reuse strands a session in a pid namespace of its own, has the recorded pid used
// again, and looks.
const reuse = `
"$0" run --no-worktree "$1" -- sh -c 'kill -9 $PPID' 2>/dev/null
pid=$(sed -n 's/.*"pid": \([0-9]*\),/\1/p' "$2")
sleep 0.1
echo $((pid - 1)) > /proc/sys/kernel/ns_last_pid
sleep 30 &
[ $! = "$pid" ] || exit 3
"$0" inspect "$1" --json
status=$?
kill $!
exit $status
`

// reusedPID: another process that has an owner's pid is not the owner.
func reusedPID(v *visit) {
	record := filepath.Join(v.store(), "sessions", lab.Digest.String(), "record.json")
	program := []string{"unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", reuse}
	a := v.expect([]int{0}, program, lab.Key, record)
	if !strings.Contains(a.stdout, `"state":"stranded"`) && !strings.Contains(a.stdout, `"state": "stranded"`) {
		v.fault("in the namespace, where its pid is another's: %s", a.stdout)
	}
	// Outside, nothing of the namespace is left.
	revision := v.expectState("stranded", "unproven")
	v.expect([]int{0}, nil, "recover", lab.Key, "--expect", revision, "--force", "--accept-unproven", "--no-snapshot")
	v.sound()
}

// standsStill holds that an owner that stands still is alive to everybody: I7.
func (v *visit) standsStill() {
	revision := v.expectState("held")
	v.expect([]int{75}, nil, acquireAndRelease...)
	v.expect([]int{75}, nil, "recover", lab.Key, "--expect", revision, "--force", "--accept-unproven", "--no-snapshot")
	v.expect([]int{0}, nil, "prune", "--older-than", "0s")
	v.expectState("held")
}

func stoppedOwner(v *visit) {
	o := v.own(nil)
	if o == nil || !v.must(o.cmd.Process.Signal(unix.SIGSTOP)) {
		return
	}
	v.standsStill()
	v.must(o.cmd.Process.Signal(unix.SIGCONT))
	v.releases(o)
}

func (v *visit) releases(o *owner) {
	if code := o.end(); code != 0 {
		v.fault("the owner ends with %d: %s", code, o.stderr)
	}
	v.expectState("idle")
	v.sound()
}

// freezer is where version 1 of the kernel's control groups freezes processes.
const freezer = "/sys/fs/cgroup/freezer"

func frozenOwner(v *visit) {
	if _, err := os.Stat(freezer + "/tasks"); err != nil {
		v.report.Remark("%s: there is no freezer at %s, so no owner was frozen", v.where, freezer)
		return
	}
	group := filepath.Join(freezer, "holdfast-"+strconv.Itoa(os.Getpid()))
	if !v.must(os.Mkdir(group, 0o755)) {
		return
	}
	v.later(func() { os.Remove(group) })
	o := v.own(nil)
	if o == nil {
		return
	}
	set := func(name, value string) bool {
		return v.must(os.WriteFile(filepath.Join(group, name), []byte(value), 0o600))
	}
	if !set("cgroup.procs", strconv.Itoa(o.cmd.Process.Pid)) || !set("freezer.state", "FROZEN") {
		return
	}
	defer set("freezer.state", "THAWED")
	if v.awaitState(group, "FROZEN") {
		v.standsStill()
	}
	set("freezer.state", "THAWED")
	v.releases(o)
	v.must(os.WriteFile(filepath.Join(freezer, "cgroup.procs"), []byte(strconv.Itoa(os.Getpid())), 0o600))
}

func (v *visit) awaitState(group, want string) bool {
	for end := time.Now().Add(lab.Patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		b, err := os.ReadFile(filepath.Join(group, "freezer.state"))
		if !v.must(err) {
			return false
		}
		if strings.TrimSpace(string(b)) == want {
			return true
		}
	}
	v.fault("the owner does not freeze")
	return false
}
