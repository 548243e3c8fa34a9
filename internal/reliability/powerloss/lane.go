package powerloss

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"

	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
)

// How many images of one moment are looked at: of the first power failure, and of the
// second one.
const (
	mostFirst  = 1024
	mostSecond = 48
)

// batch is how many stores one carer takes care of.
const batch = 16

// crash is a disk after a power failure, with what was told before it.
type crash struct {
	where   string
	model   model
	image   image
	history check.History
}

func (c crash) String() string { return c.where }

// Run fails the power at every moment of every workload under both models, and again
// during the aftercare of as many of the images as the plan has rounds.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) { return run(ctx, p, true) }

// Once fails the power at every moment of every workload, and not again.
func Once(ctx context.Context, p lab.Plan) (*lab.Report, error) { return run(ctx, p, false) }

func run(ctx context.Context, p lab.Plan, again bool) (*lab.Report, error) {
	r := lab.NewReport("power loss, enumerated", p.Seed)
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	l := &lane{plan: p, report: r, room: room, second: mostSecond}
	if p.Rounds > 0 {
		l.second = min(mostSecond, 2*p.Rounds)
	}
	first, err := l.firstFailures(ctx)
	if err != nil {
		return r, err
	}
	chosen := p.Chosen(lab.NamesOf(first))
	p.Each(ctx, len(chosen), func(ctx context.Context, worker, i int) {
		r.Count("first failures", 1)
		l.judge(ctx, worker, first[chosen[i]])
	})
	if !again {
		return r, nil
	}
	batches := (len(chosen) + batch - 1) / batch
	p.Each(ctx, batches, func(ctx context.Context, worker, i int) {
		var some []crash
		for _, n := range chosen[i*batch : min((i+1)*batch, len(chosen))] {
			some = append(some, first[n])
		}
		l.secondFailures(ctx, worker, some)
	})
	return r, nil
}

type lane struct {
	plan   lab.Plan
	report *lab.Report
	room   string
	second int // images of one moment of the second failure

	mu   sync.Mutex
	seen map[[32]byte]bool
}

// isNew reports whether an image with what was told was not seen before.
func (l *lane) isNew(c crash) bool {
	sum := c.image.sum()
	sum[0] ^= byte(len(c.history.Of(lab.Digest).Told))
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen == nil {
		l.seen = map[[32]byte]bool{}
	}
	fresh := !l.seen[sum]
	l.seen[sum] = true
	return fresh
}

// place returns a fresh directory of a worker.
func (l *lane) place(worker int, name string) (string, error) {
	dir := filepath.Join(l.room, fmt.Sprintf("worker-%d", worker), name)
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

func (l *lane) judge(ctx context.Context, worker int, c crash) {
	dir, err := l.place(worker, "judged")
	if err == nil {
		err = c.image.build(dir)
	}
	if err != nil {
		l.report.Fault(c.where, err.Error())
		return
	}
	l.report.Count("states", 1)
	l.report.Fault(c.where, lab.JudgeAndCare(ctx, filepath.Join(dir, "store"), c.history.Clone())...)
}

// each calls yield with every image after every step that changes something, with what
// was told until then.
func (l *lane) each(m model, where string, d *disk, steps []step, told func(at int) check.History, most int, yield func(crash)) {
	chance := rand.New(rand.NewPCG(uint64(l.plan.Seed), uint64(len(steps))))
	for i, s := range steps {
		changed := d.do(s)
		if _, tells := s.tells(); !changed && !tells && !s.starts() && i < len(steps)-1 {
			continue
		}
		h, n := told(i), 0
		cut := d.images(most, chance, func(image image) {
			n++
			c := crash{fmt.Sprintf("%s, %v, after call %d (%s), image %d", where, m, i, s.name, n), m, image, h}
			if l.isNew(c) {
				yield(c)
			}
		})
		l.report.Count("moments", 1)
		if cut {
			l.report.Count("of them with images chosen by chance", 1)
		}
	}
}

// firstFailures are the power failures of the workloads.
func (l *lane) firstFailures(ctx context.Context) (all []crash, err error) {
	scenes, err := l.plan.Scenes(ctx, l.room)
	if err != nil {
		return nil, err
	}
	for i, scene := range scenes {
		some, err := l.failuresOf(ctx, scene, i)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", scene.Name, err)
		}
		all = append(all, some...)
	}
	l.report.Count("workloads", len(scenes))
	l.report.Count("first states known", len(all))
	return all, nil
}

// failuresOf are those of one workload.
func (l *lane) failuresOf(ctx context.Context, scene *lab.Scene, i int) (all []crash, err error) {
	run, err := scene.Fresh(l.room, i)
	if err != nil {
		return nil, err
	}
	defer run.Remove()
	top := filepath.Dir(run.Dir)
	start, err := readImage(top)
	if err != nil {
		return nil, err
	}
	log := filepath.Join(l.room, fmt.Sprintf("log-%d", i))
	if err := scene.Do(ctx, &run, tracing(log)...); err != nil {
		return nil, err
	}
	steps, err := readSteps(log, run.Dir)
	if err != nil {
		return nil, err
	}
	told, err := scene.ToldBy(run, startOf(steps), len(steps)-1)
	if err != nil {
		return nil, err
	}
	for _, m := range []model{weak, ordered} {
		l.each(m, scene.Name, newDisk(m, top, start), steps, told, mostFirst, func(c crash) { all = append(all, c) })
	}
	return all, nil
}

// startOf returns which step started the owned command.
func startOf(steps []step) int {
	for i, s := range steps {
		if s.starts() {
			return i
		}
	}
	return len(steps)
}

// secondFailures are the power failures of the aftercare of first ones.
func (l *lane) secondFailures(ctx context.Context, worker int, first []crash) {
	var lines []string
	var dirs []string
	for i, c := range first {
		dir, err := l.place(worker, fmt.Sprintf("cared-%d", i))
		if err == nil {
			err = c.image.build(dir)
		}
		if err != nil {
			l.report.Fault(c.where, err.Error())
			return
		}
		dirs = append(dirs, dir)
		if c.history.Of(lab.Digest).Damaged {
			dir = "!" + dir
		}
		lines = append(lines, dir)
	}
	each, err := recordCare(ctx, filepath.Join(l.room, fmt.Sprintf("worker-%d", worker)), lines)
	if err != nil {
		l.report.Fault(first[0].where, err.Error())
		return
	}
	for i, c := range first {
		l.report.Count("crashed again", 1)
		told := toldLater(c.history, each[i])
		l.each(c.model, c.where+", then in the aftercare", newDisk(c.model, dirs[i], c.image), each[i], told, l.second, func(again crash) {
			l.judge(ctx, worker, again)
		})
	}
}

// toldLater adds what the steps tell.
func toldLater(before check.History, steps []step) func(at int) check.History {
	return func(at int) check.History {
		h := before.Clone()
		told := h.Of(lab.Digest)
		told.Unanswered++ // the one in flight
		for _, s := range steps[:at+1] {
			if r, ok := s.tells(); ok {
				told.Told = append(told.Told, r)
				// What is told again was unanswered before.
				told.Damaged = false
			}
		}
		return h
	}
}
