package lab

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/check"
	"holdfast/ownership"
)

// preparation does something to a store with the real command and notes what it was
// told.
type preparation func(ctx context.Context, s *Scene) error

// Scene is a prepared store.
type Scene struct {
	Workload
	Dir     string // of the store, which is copied for every round
	History check.History
	Expect  ownership.Revision // of the record in force
	record  []byte             // its bytes
}

// Prepare prepares the store of a workload below a directory.
func Prepare(ctx context.Context, w Workload, below string) (*Scene, error) {
	dir, err := os.MkdirTemp(below, "scene-")
	if err != nil {
		return nil, err
	}
	s := &Scene{Workload: w, Dir: filepath.Join(dir, "store"), History: check.History{}}
	for _, prepare := range w.before {
		if err := prepare(ctx, s); err != nil {
			return nil, fmt.Errorf("prepare %q: %w", w.Name, err)
		}
	}
	if found := check.Store(s.Dir, s.History); len(found) > 0 {
		return nil, fmt.Errorf("prepare %q: %v", w.Name, found)
	}
	return s, s.rehearse(ctx, dir)
}

// rehearse holds that the workload does what it is to be kept from.
func (s *Scene) rehearse(ctx context.Context, below string) error {
	r, err := s.Fresh(below, 0)
	if err != nil {
		return err
	}
	defer r.Remove()
	cmd := actor.Command(ctx, r.Dir, s.Args(r.Told)...)
	said, _ := cmd.CombinedOutput()
	r.Exit, r.Said = cmd.ProcessState.ExitCode(), string(said)
	if wrong := s.honest(r.Dir, r.Outcome); r.Exit != s.exits || len(wrong) > 0 {
		return fmt.Errorf("%s exits with %d: %v: %s", s.Name, r.Exit, wrong, said)
	}
	return nil
}

// Scenes prepares the workloads of a plan: a few of few rounds, else all.
func (p Plan) Scenes(ctx context.Context, below string) (scenes []*Scene, err error) {
	all := slices.DeleteFunc(Workloads(), func(w Workload) bool { return !strings.HasPrefix(w.Name, p.Only) })
	few := p
	if few.Rounds = 1 + p.Rounds/fewRounds; p.Rounds == 0 {
		few.Rounds = len(all)
	}
	for _, i := range few.Chosen(NamesOf(all)) {
		scene, err := Prepare(ctx, all[i], below)
		if err != nil {
			return nil, err
		}
		scenes = append(scenes, scene)
	}
	return scenes, nil
}

// fewRounds is how many rounds are worth a workload of their own.
const fewRounds = 10

// command runs the real command on the scene's own store.
func (s *Scene) command(ctx context.Context, want int, args ...string) error {
	cmd := actor.Command(ctx, s.Dir, args...)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != want {
		return fmt.Errorf("%q exits with %d: %s", args, got, out)
	}
	return nil
}

// note adds the record in force to the history.
func (s *Scene) note() error {
	b, err := os.ReadFile(s.recordPath())
	if err != nil {
		return err
	}
	told := s.History.Of(Digest)
	s.record, s.Expect = b, ownership.RevisionOf(b)
	if r, err := ownership.Decode(b); err == nil && r.Release != nil && *r.Release == ownership.ReleaseAcknowledged {
		told.Told = append(told.Told, *r.PreviousRevision)
	}
	told.Told = append(told.Told, s.Expect)
	return nil
}

func (s *Scene) recordPath() string {
	return filepath.Join(s.Dir, "sessions", Digest.String(), "record.json")
}

// cycle acquires and releases.
func cycle(ctx context.Context, s *Scene) error {
	if err := s.command(ctx, 0, "run", "--no-worktree", Key, "--", "true"); err != nil {
		return err
	}
	return s.note()
}

// other makes a second session.
func other(ctx context.Context, s *Scene) error {
	k, err := ownership.ParseKey("other")
	if err != nil {
		return err
	}
	s.History.Of(k.Digest()).Unanswered = 2
	return s.command(ctx, 0, "run", "--no-worktree", k.String(), "--", "true")
}

// strand kills an owner.
func strand(ctx context.Context, s *Scene) error {
	err := s.command(ctx, -1, "run", "--no-worktree", Key, "--", "sh", "-c", "kill -9 $PPID")
	if err != nil {
		return err
	}
	if _, err := AwaitUnheld(ctx, s.Dir); err != nil {
		return err
	}
	return s.note()
}

func recovered(ctx context.Context, s *Scene) error {
	before := s.Expect
	if err := s.command(ctx, 0, s.fill(recovery, "")...); err != nil {
		return err
	}
	err := s.note()
	s.Expect = before // what a replay of it has to name
	return err
}

func prune(ctx context.Context, s *Scene) error {
	if err := s.command(ctx, 0, "prune", "--older-than", "0s"); err != nil {
		return err
	}
	return readArchive(ctx, s.Dir, s.History)
}

// damage overwrites the record in place, as an editor would.
func damage(_ context.Context, s *Scene) error {
	s.record = []byte("not a record\n")
	s.Expect = ownership.RevisionOf(s.record)
	if err := os.Remove(s.recordPath()); err != nil {
		return err
	}
	// What was told before is in force no more, and that is nobody's fault of ours.
	s.History[Digest] = &check.Session{Damaged: true}
	return os.WriteFile(s.recordPath(), s.record, 0o600)
}

// fill returns a command line for this scene.
func (s *Scene) fill(args []string, told string) []string {
	filled := make([]string, len(args))
	for i, arg := range args {
		filled[i] = strings.NewReplacer("EXPECT", s.Expect.String(), "TOLD", told).Replace(arg)
	}
	return filled
}

// Args returns the command line of the workload. Told is the file in which an owned
// command notes its revision.
func (s *Scene) Args(told string) []string { return s.fill(s.args, told) }

// Recovering returns the scene with another workload: a forced recovery of the record
// with this revision.
func (s *Scene) Recovering(expect ownership.Revision) *Scene {
	other := *s
	other.Workload = Workload{Name: "forced recovery from a living owner", args: recovery, Publishes: 1, ends: forced}
	other.Expect = expect
	return &other
}

// isUnchanged reports whether the record in a copy of the store is what it was.
func (s *Scene) isUnchanged(dir string) bool {
	b, err := os.ReadFile(filepath.Join(dir, "sessions", Digest.String(), "record.json"))
	return s.record == nil && err != nil || err == nil && bytes.Equal(b, s.record)
}
