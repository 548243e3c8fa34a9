package cli

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/ownership"
)

func (v *invocation) verdictSet(ctx context.Context, c *urfave.Command) error {
	t, err := pulseTarget(c)
	if err != nil {
		return err
	}
	verdict, err := verdictFlags(c)
	if err != nil {
		return err
	}
	which, err := executionFlags(c, t)
	if err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	i, err := admin.Inspect(ctx, s, t)
	if err != nil {
		return err
	}
	which.fill(&verdict, i)
	verdict.WrittenAt = ownership.At(time.Now())
	if err := settle.Set(ctx, s, verdict); err != nil {
		return explained(ctx, s, i, err)
	}
	v.published = true
	shown := verdictOf(i, settle.Kept{Verdict: &verdict})
	v.answer(shown, func(p *page) { p.verdict(shown, time.Now()) })
	return nil
}

// explained adds to a refusal what can be typed next, under the name that was typed.
func explained(ctx context.Context, s lease.Store, i lease.Inspection, err error) error {
	var refused *lease.Refusal
	if errors.As(err, &refused) {
		refused.Inspection.Key = i.Key
		admin.Explain(ctx, s, &refused.Inspection)
	}
	return err
}

func verdictFlags(c *urfave.Command) (settle.Verdict, error) {
	v := settle.Verdict{
		Outcome: settle.Decision(c.String("outcome")),
		Source:  settle.Source(c.String("source")),
		Reason:  c.String("reason"),
	}
	if err := oneWord(c, "outcome", settle.Decisions); err != nil {
		return v, err
	}
	if err := oneWord(c, "source", settle.Sources); err != nil {
		return v, err
	}
	if len(v.Reason) > settle.MaxReasonSize || !utf8.ValidString(v.Reason) {
		return v, wrong(c, "--reason %.80q: it takes a text of at most %d bytes of UTF-8", v.Reason, settle.MaxReasonSize)
	}
	return v, nil
}

func oneWord[S ~string](c *urfave.Command, name string, all []S) error {
	switch word := S(c.String(name)); {
	case !c.IsSet(name):
		return wrong(c, "--%s is missing: it takes %s", name, takes(c, name))
	case !slices.Contains(all, word):
		return wrong(c, "--%s %.80q: it takes %s", name, word, takes(c, name))
	}
	return nil
}

// executionWords are what was said about which execution is meant.
type executionWords struct {
	generation *ownership.Generation
	id         *ownership.OperationID
}

// executionFlags reads the options, else what `run` told its child where that is about
// the session that is meant: an orchestrator may be in a session of its own.
func executionFlags(c *urfave.Command, t admin.Target) (w executionWords, err error) {
	within := isWithin(t)
	if c.IsSet("generation") || within && os.Getenv("SESSION_GENERATION") != "" {
		g, err := generationFlag(c)
		if err != nil {
			return w, err
		}
		w.generation = &g
	}
	name, word := "--id", c.String("id")
	if !c.IsSet("id") && within {
		name, word = "SESSION_OPERATION_ID", os.Getenv("SESSION_OPERATION_ID")
	}
	if c.IsSet("id") || word != "" {
		w.id = new(ownership.OperationID)
		if err := w.id.UnmarshalText([]byte(word)); err != nil {
			return w, wrong(c, "%s %.80q: it takes %s", name, word, takes(c, "id"))
		}
	}
	return w, nil
}

// isWithin reports whether what `run` told its child may be about session t.
func isWithin(t admin.Target) bool {
	name := os.Getenv("SESSION_KEY")
	key, err := ownership.ParseKey(name)
	return name == "" || err == nil && key.Digest() == t.Digest
}

// fill says which execution a verdict is about: what was not said is as the record has
// it.
func (w executionWords) fill(v *settle.Verdict, i lease.Inspection) {
	place, _ := settle.PlaceOf(i.Record)
	v.KeyDigest, v.Generation, v.ID = i.KeyDigest, place.Generation, place.ID
	if w.generation != nil {
		v.Generation = *w.generation
	}
	if w.id != nil {
		v.ID = *w.id
	}
}
