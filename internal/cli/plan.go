package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin/plan"
	"holdfast/internal/procid"
	"holdfast/internal/tmux"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) planCommand() *urfave.Command {
	return &urfave.Command{
		ArgsUsage: "KEY | --digest HEX",
		Description: "It does nothing of it. With -o it first takes a snapshot of the work that the record names,\n" +
			"and writes the plan for 'session apply'.",
		Flags: append([]urfave.Flag{
			digestFlag(),
			&urfave.StringFlag{Name: "o", Usage: "new `FILE` for the plan", OnlyOnce: true},
			&urfave.BoolFlag{Name: "no-snapshot", Usage: "keep nothing, and propose nothing that would need it"},
			&urfave.BoolFlag{Name: "include-ignored", Usage: "keep what git ignores too: a worktree that has some is not removed else"},
			actorFlag(),
		}, intentFlags()...),
		Action: v.plan,
	}
}

func actorFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "actor", Usage: fmt.Sprintf("`NAME` of who decided, at most %d bytes (default: user@host)", ownership.MaxNameSize), OnlyOnce: true}
}

// actorWord returns who decides: what root does as the store's owner is still root's.
func actorWord(c *urfave.Command) (string, error) {
	name := c.String("actor")
	switch {
	case !c.IsSet("actor"):
		return procid.UserName() + "@" + procid.ThisHost().Name, nil
	case !isName(name):
		return "", wrong(c, "--actor %.80q: it takes a name of 1 to %d bytes of UTF-8 without control characters", name, ownership.MaxNameSize)
	}
	return name, nil
}

func (v *invocation) plan(ctx context.Context, c *urfave.Command) error {
	t, _, err := target(c)
	if err != nil {
		return err
	}
	o, err := planOptions(c)
	if err != nil {
		return err
	}
	out, err := absolute(c, "o")
	if err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	file, err := newFile(c, out)
	if err != nil {
		return err
	}
	bar := v.bar()
	o.Progress, o.StoreWords = bar.show, v.storeOptions()
	ctx, stop := interruptible(ctx)
	defer stop()
	p, err := plan.Make(ctx, s, t, o)
	bar.clear()
	if err == nil {
		err = writePlan(file, p)
	}
	if err != nil {
		return discardPlan(file, err)
	}
	return v.planned(p, out, intentWords(o.Intent))
}

func planOptions(c *urfave.Command) (o plan.Options, err error) {
	o.IncludeIgnored = c.Bool("include-ignored")
	if c.IsSet("o") && !c.Bool("no-snapshot") {
		o.Keeping = plan.KeepWork
	}
	if o.IncludeIgnored && o.Keeping == plan.KeepNothing {
		return o, wrong(c, "--include-ignored has no meaning without a snapshot: give -o FILE, and not --no-snapshot")
	}
	if o.Actor, err = actorWord(c); err != nil {
		return o, err
	}
	o.Intent, err = intent(c)
	return o, err
}

// intentFlags are what a person says in words of their own, to a plan and to what
// applies it alike.
func intentFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "answer", Usage: "`TEXT`, one line, to type into the session's tmux session; say it to plan and to apply", OnlyOnce: true},
		&urfave.StringFlag{Name: "tracker-command", Usage: "shell `COMMAND` by which the tracker releases or reassigns the work; say it to both", OnlyOnce: true},
		&urfave.StringFlag{Name: "tracker-undo", Usage: "shell `COMMAND` that takes that back; say it to both", OnlyOnce: true},
	}
}

func intent(c *urfave.Command) (plan.Intent, error) {
	i := plan.Intent{Answer: c.String("answer"), Tracker: c.String("tracker-command"), TrackerUndo: c.String("tracker-undo")}
	if c.IsSet("answer") {
		if err := tmux.CheckTyped(i.Answer); err != nil {
			return i, wrong(c, "--answer: %v", err)
		}
	}
	if i.TrackerUndo != "" && i.Tracker == "" {
		return i, wrong(c, "--tracker-undo has no meaning without --tracker-command")
	}
	return i, nil
}

// intentWords say an intent once more.
func intentWords(i plan.Intent) (words []string) {
	for _, f := range [][2]string{{"--answer", i.Answer}, {"--tracker-command", i.Tracker}, {"--tracker-undo", i.TrackerUndo}} {
		if f[1] != "" {
			words = append(words, f[0]+"="+f[1])
		}
	}
	return words
}

// newFile makes the file before anything else is done: one that is there is never
// written over. Without a path there is none.
func newFile(c *urfave.Command, path string) (*os.File, error) {
	if path == "" {
		return nil, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	var why *fs.PathError
	if errors.As(err, &why) {
		return nil, wrong(c, "-o %q: it takes a new file in a directory that exists: %v", path, why.Err)
	}
	return f, err
}

func writePlan(f *os.File, p plan.Plan) error {
	if f == nil {
		return nil
	}
	b, err := p.Encode()
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close())
}

// discardPlan removes what is no plan.
func discardPlan(f *os.File, err error) error {
	if f != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	var refused *lease.Refusal
	if errors.As(err, &refused) {
		return err
	}
	return snapshotFault("plan", err)
}

// planned answers with the plan, and how to go on.
func (v *invocation) planned(p plan.Plan, file string, intent []string) error {
	answer := struct {
		plan.Plan
		File *string      `json:"file"`
		Next []lease.Next `json:"next"`
	}{p, given(file), v.located(afterPlan(p, file, intent))}
	v.published = file != ""
	v.answer(answer, func(g *page) {
		g.plan(p, file, v.storeOptions(), intent)
		g.next(answer.Next)
	})
	if p.Snapshot != nil {
		v.saved(p.Snapshot.Dir)
	}
	return nil
}

func afterPlan(p plan.Plan, file string, intent []string) []lease.Next {
	if file != "" {
		return p.Next(file, intent...)
	}
	if len(p.Items) == 0 {
		return nil
	}
	return []lease.Next{{Why: "take a snapshot and write the plan down, to approve it", Argv: append(append(p.PlanAgain().Argv, intent...), "-o", "plan.json"), ChangesState: true}}
}
