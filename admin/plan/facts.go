package plan

import (
	"context"
	"errors"
	"os"
	"slices"

	"holdfast/admin"
	"holdfast/internal/gitwork"
	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/internal/tmux"
	"holdfast/lease"
	"holdfast/ownership"
)

// facts are all that items are derived from.
type facts struct {
	seen    lease.Inspection
	work    ownership.Session
	worker  []ownership.Process // who would be stopped
	unnamed error               // why the worker cannot be named
	runtime living
	tree    *tree // the linked worktree; nil where there is none
	treeErr error
}

// living is a declared runtime that is alive.
type living struct {
	session *tmux.Session
	panes   []tmux.Pane
	program []ownership.Process // of each pane
	process *ownership.Process
	fault   error // why it cannot be told
}

func (l living) alive() bool { return l.session != nil || l.process != nil }

// tree is a linked worktree.
type tree struct {
	gitwork.Repository
	git        gitwork.Git
	reason     string // why it is locked
	locked     bool
	branch     string
	tip        string           // of the branch
	inhabitant []procid.Process // work in it
	unseen     error            // why others may be
}

// errInside is returned where the worker would have to stop itself.
var errInside = errors.New("this command runs inside the session: run it from elsewhere")

// look gathers the facts and changes nothing (I8).
func look(ctx context.Context, s lease.Store, t admin.Target) (facts, error) {
	i, err := admin.Inspect(ctx, s, t)
	if err != nil {
		return facts{}, err
	}
	f := facts{seen: i}
	if i.Record == nil {
		return f, nil
	}
	f.work = i.Record.Session
	f.worker, f.unnamed = workerOf(ctx, s, i)
	f.runtime = lookForRuntime(ctx, *i.Record)
	if f.work.Worktree != nil {
		f.tree, f.treeErr = lookAtTree(ctx, *f.work.Worktree)
	}
	return f, nil
}

// errServerOnly is returned where all that could be stopped may serve others.
var errServerOnly = errors.New("what is left of the worker is a tmux server, which may have other sessions too: end the session in it instead")

// workerOf names whom to stop, and never a tmux server: it belongs to the user, whoever happened to start it.
func workerOf(ctx context.Context, s lease.Store, i lease.Inspection) ([]ownership.Process, error) {
	all, err := atWork(ctx, s, i)
	some := slices.DeleteFunc(slices.Clone(all), func(p ownership.Process) bool { return tmux.IsServer(p.PID) })
	if err == nil && len(some) == 0 && len(all) > 0 {
		err = errServerOnly
	}
	return some, err
}

// atWork names the processes that work in the session, and not their owner where that can acknowledge their end.
func atWork(ctx context.Context, s lease.Store, i lease.Inspection) ([]ownership.Process, error) {
	if i.Record.State != ownership.RecordActive || i.State == ownership.StateStranded {
		return nil, nil
	}
	operation := i.Record.Owner.OperationID.String()
	if os.Getenv("SESSION_OPERATION_ID") == operation {
		return nil, errInside
	}
	scan, err := procid.ScanNow(ctx)
	if err != nil {
		return nil, err
	}
	carriers := scan.WithOperation(operation, 0)
	if i.State == ownership.StateUnproven {
		return remains(*i.Record.Owner, carriers)
	}
	if len(i.Liveness.Holders) == 0 {
		return nil, errors.New("who holds the session cannot be seen from here")
	}
	if i.Liveness.Held == ownership.KinLock {
		return i.Liveness.Holders, nil
	}
	kin, err := s.Holders(ctx, i.KeyDigest, i.Record.Generation, ownership.KinLock)
	if err != nil {
		return nil, err
	}
	started := append(kin, processes(carriers)...)
	if children := childrenOf(scan, i.Liveness.Holders, started); len(children) > 0 {
		return children, nil
	}
	return i.Liveness.Holders, nil
}

// childrenOf are those of the started that a holder is the parent of: when they end, it acknowledges.
func childrenOf(scan *procid.Scan, holders, started []ownership.Process) (all []ownership.Process) {
	for _, h := range holders {
		for _, c := range processes(scan.Children(h.PID)) {
			if slices.Contains(started, c) && !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}

// remains are what is seen of an owner whose locks are free.
func remains(o ownership.Owner, carriers []procid.Process) ([]ownership.Process, error) {
	if here := procid.ThisHost(); o.BootID == nil || here.BootID == nil || *o.BootID != *here.BootID {
		return nil, nil // no process of it can be here
	}
	all := carriers
	if o.StartTicks != nil {
		p, exists, err := procid.Exists(o.PIDNamespace, o.PID, o.StartTicks)
		if err != nil {
			return nil, err
		}
		if exists && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return processes(all), nil
}

func processes(all []procid.Process) (out []ownership.Process) {
	for _, p := range all {
		out = append(out, ownership.Process(p))
	}
	return out
}

func lookForRuntime(ctx context.Context, r ownership.Record) (l living) {
	switch rt := r.Session.Runtime; {
	case rt == nil:
	case rt.Kind == probe.KindTmux:
		if l.session, l.fault = tmux.Find(ctx, rt.Handle); l.session != nil {
			l.lookIntoPanes(ctx)
		}
	case rt.Kind == probe.KindProcess:
		p, exists, err := probe.FindProcess(r)
		if l.fault = err; err == nil && exists {
			who := ownership.Process(p)
			l.process = &who
		}
	default:
		_, _, l.fault = probe.Runtime(ctx, *rt)
	}
	return l
}

func (l *living) lookIntoPanes(ctx context.Context) {
	if l.panes, l.fault = l.session.Panes(ctx); l.fault != nil {
		return
	}
	var all []procid.Process
	all, l.fault = l.session.Programs(ctx)
	l.program = processes(all)
}

// lookAtTree returns nil for a worktree that is not a linked one: git removes and locks no other.
func lookAtTree(ctx context.Context, dir string) (*tree, error) {
	r, err := gitwork.Locate(dir)
	if err != nil || !r.Linked() {
		return nil, err
	}
	t := &tree{Repository: r}
	if t.git, err = gitwork.FindGit(ctx); err != nil {
		return nil, err
	}
	if t.reason, t.locked, err = r.Lock(); err != nil {
		return nil, err
	}
	if t.branch, err = r.Branch(); err != nil {
		return nil, err
	}
	if t.tip, err = t.tipOf(ctx); err != nil {
		return nil, err
	}
	scan, err := procid.ScanNow(ctx)
	if err != nil {
		t.unseen = err
		return t, nil
	}
	t.inhabitant, t.unseen = scan.WorkingIn(r.Worktree), scan.Incomplete
	return t, nil
}
