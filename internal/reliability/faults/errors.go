package faults

import (
	"context"
	"fmt"
	"strings"

	"holdfast/internal/reliability/lab"
)

// answers are the errors that a call is answered with. A close is not among them: on
// Linux it closes whatever it answers, while strace leaves it undone, and a lock file
// that is never closed holds its lock as never in the field. Nor is a mapping: most are
// the runtime's own, whose number differs from run to run.
var answers = map[string][]string{
	"openat":     {"EIO", "EMFILE", "ENFILE", "EACCES", "EROFS", "ENOSPC", "EINTR", "ELOOP"},
	"mkdirat":    {"EIO", "ENOSPC", "EACCES", "EROFS", "EMLINK"},
	"write":      {"EIO", "ENOSPC", "EDQUOT", "EINTR", "EPIPE"},
	"pwrite64":   {"EIO", "ENOSPC", "EINTR"},
	"fsync":      {"EIO", "ENOSPC", "EDQUOT", "EINTR", "EROFS"},
	"fdatasync":  {"EIO", "ENOSPC", "EINTR"},
	"ftruncate":  {"EIO", "ENOSPC", "EINTR"},
	"fallocate":  {"EIO", "ENOSPC"},
	"renameat":   {"EIO", "ENOSPC", "EXDEV", "EACCES", "EROFS"},
	"renameat2":  {"EIO", "ENOSPC", "EXDEV", "EINVAL"},
	"linkat":     {"EIO", "ENOSPC", "EXDEV", "EPERM", "EMLINK"},
	"unlinkat":   {"EIO", "EACCES", "EROFS", "EBUSY"},
	"flock":      {"ENOLCK", "EINTR", "EIO", "ENOSYS", "EBADF"},
	"read":       {"EIO", "EINTR", "EISDIR"},
	"pread64":    {"EIO", "EINTR"},
	"getdents64": {"EIO", "ENOENT"},
	"newfstatat": {"EIO", "EACCES", "ELOOP"},
	"fstat":      {"EIO"},
	"fchmod":     {"EIO", "EPERM", "EROFS"},
	"fchmodat":   {"EIO", "EPERM", "ENOSYS"},
	"fchmodat2":  {"ENOSYS", "EPERM"},
	"statfs":     {"EIO", "ENOSYS", "EACCES"},
	"fstatfs":    {"EIO", "ENOSYS"},
	"fcntl":      {"EMFILE"},
}

// interrupted is the error after which a call is simply made again.
const interrupted = "EINTR"

// fault is one call answered with one error.
type fault struct {
	scene  *lab.Scene
	call   lab.Call
	error  string
	answer bool      // the call is to deliver the answer
	sync   bool      // the call is to make durable what the workload publishes
	look   *lab.Look // the call is one of another thread than the main one
}

func (f fault) String() string {
	if f.look != nil {
		return fmt.Sprintf("%s, %s at the first %s of a thread in %q", f.scene.Name, f.error, f.look.Name, f.look.Path)
	}
	return fmt.Sprintf("%s, %s at %s", f.scene.Name, f.error, f.call)
}

func (f fault) tampering(store string) []string {
	if f.look != nil {
		return f.look.Elsewhere(store, "error="+f.error)
	}
	return []string{"-e", "trace=" + f.call.Name, "-e", f.call.Tampering("error=" + f.error)}
}

// Errors answers every call that has to do with the store, with what the answer rests
// on, or with the user, with every error that it can have. The language's runtime ends
// the process when a call of its own fails, which is a kill.
func Errors(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("errors", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	all, err := everyFault(ctx, r, p, room)
	if err != nil {
		return r, err
	}
	chosen := p.Chosen(lab.NamesOf(all))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		inject(ctx, r, all[chosen[i]], fmt.Sprintf("%s/%d", room, worker), chosen[i])
	})
	return r, nil
}

func everyFault(ctx context.Context, r *lab.Report, p lab.Plan, room string) (all []fault, err error) {
	scenes, err := p.Scenes(ctx, room)
	if err != nil {
		return nil, err
	}
	for _, scene := range scenes {
		trace, err := scene.Trace(ctx, room)
		if err != nil {
			return nil, err
		}
		all = append(all, faultsOf(scene, trace)...)
	}
	r.Count("errors known", len(all))
	return all, nil
}

func faultsOf(scene *lab.Scene, t lab.Trace) (all []fault) {
	for i, call := range t.Calls {
		if !lab.AboutStore(t.Lines[i]) {
			continue
		}
		for _, error := range answers[call.Name] {
			all = append(all, fault{
				scene: scene, call: call, error: error,
				answer: strings.HasPrefix(t.Lines[i], "write(1<"),
				sync:   scene.Publishes > 0 && call.Name == "fsync" && strings.Contains(t.Lines[i], "/store/sessions"),
			})
		}
	}
	for _, look := range t.Looks {
		for _, error := range answers[look.Name] {
			all = append(all, fault{scene: scene, error: error, look: &look})
		}
	}
	return all
}

func inject(ctx context.Context, r *lab.Report, f fault, below string, i int) {
	run, err := f.scene.Fresh(below, i)
	if err == nil {
		defer run.Remove()
		err = f.scene.Do(ctx, &run, append(f.tampering(run.Dir), "-o", "/dev/null")...)
	}
	if err != nil {
		r.Fault(f.String(), err.Error())
		return
	}
	r.Count("errors", 1)
	if f.look != nil {
		r.Count("of them in other threads", 1)
	}
	if f.answer && f.error != interrupted {
		r.Count("answers not delivered", 1)
		r.Fault(f.String(), f.scene.Undelivered(run)...)
	}
	if f.sync && f.error != interrupted {
		r.Count("failed syncs", 1)
		r.Fault(f.String(), unsynced(run.Outcome)...)
	}
	switch run.Exit {
	case 0:
		r.Count("that changed nothing of the answer", 1)
	case 82:
		r.Count("outcome unknown", 1)
	}
	r.Fault(f.String(), f.scene.Judge(ctx, run.Dir, run.Outcome)...)
}

// unsynced says what is wrong with success after a sync that failed: whatever can be read
// now, nobody knows what there will be after a power failure (I9).
func unsynced(o lab.Outcome) []string {
	if o.Exit != 0 {
		return nil
	}
	return []string{"exits with 0 after a sync of the session that failed (I9)"}
}
