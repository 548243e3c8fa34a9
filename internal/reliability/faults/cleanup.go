package faults

import (
	"context"
	"fmt"
	"strings"

	"holdfast/internal/reliability/lab"
)

// Cleanups makes a call fail and kills the process before each of the calls that follow.
func Cleanups(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("kills in the clean-up of an error", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	all, err := everyFault(ctx, r, p, room)
	if err != nil {
		return r, err
	}
	all = changing(all)
	r.Count("errors of calls that change something", len(all))
	chosen := p.Chosen(lab.NamesOf(all))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		killAfter(ctx, r, all[chosen[i]], fmt.Sprintf("%s/%d", room, worker), p)
	})
	return r, nil
}

// changing are the faults after which there may be something to clean up.
func changing(all []fault) (some []fault) {
	const calls = " write fsync fdatasync pwrite64 renameat renameat2 linkat unlinkat mkdirat flock fchmod fchmodat "
	for _, f := range all {
		if strings.Contains(calls, " "+f.call.Name+" ") && (f.error == "EIO" || f.error == "ENOSPC" || f.error == "ENOLCK") {
			some = append(some, f)
		}
	}
	return some
}

// window is how many calls after a failed one a kill is aimed at: what cleans up and
// says so is shorter.
const window = 40

func killAfter(ctx context.Context, r *lab.Report, f fault, below string, p lab.Plan) {
	calls, err := f.scene.Tampered(ctx, below, f.call, "error="+f.error)
	if err != nil {
		r.Fault(f.String(), err.Error())
		return
	}
	r.Count("errors", 1)
	at := 0
	for at < len(calls) && calls[at] != f.call {
		at++
	}
	later := calls[min(at+1, len(calls)):min(at+1+window, len(calls))]
	for _, i := range (lab.Plan{Seed: p.Seed, Rounds: killsAnError}).Chosen(lab.NamesOf(later)) {
		// Strace tampers with one call of a name only.
		if later[i].Name != f.call.Name {
			killOnceAfter(ctx, r, f, later[i], below, i)
		}
	}
}

// killsAnError is how many of the later calls of one error are chosen.
const killsAnError = 8

func killOnceAfter(ctx context.Context, r *lab.Report, f fault, kill lab.Call, below string, i int) {
	where := fmt.Sprintf("%s, killed before %s", f, kill)
	run, err := f.scene.Fresh(below, i+1)
	if err == nil {
		defer run.Remove()
		err = f.scene.Do(ctx, &run, "-o", "/dev/null", "-e", "trace="+f.call.Name+","+kill.Name,
			"-e", f.call.Tampering("error="+f.error), "-e", kill.Tampering("signal=KILL"))
	}
	if err != nil {
		r.Fault(where, err.Error())
		return
	}
	r.Count("kills", 1)
	r.Fault(where, f.scene.Judge(ctx, run.Dir, run.Outcome)...)
}
