package cli

import (
	"context"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/ownership"
)

// shownVerdict is what is in the place of a session's verdict.
type shownVerdict struct {
	Key       *string          `json:"key"`
	KeyDigest ownership.Digest `json:"keyDigest"`
	Verdict   *settle.Verdict  `json:"verdict"` // nil where there is none that can be used
	Ignored   *string          `json:"ignored"` // why it does not count; nil where it does, or there is none
}

func verdictOf(i lease.Inspection, k settle.Kept) shownVerdict {
	shown := shownVerdict{Key: i.Key, KeyDigest: i.KeyDigest, Verdict: k.Verdict}
	why := ""
	switch {
	case k.Fault != nil:
		why = k.Fault.Error()
	case k.Verdict != nil:
		why = settle.Ignored(i.Record, *k.Verdict)
	}
	if why != "" {
		shown.Ignored = &why
	}
	return shown
}

func (v *invocation) verdictShow(ctx context.Context, c *urfave.Command) error {
	t, s, err := v.verdictTarget(c)
	if err != nil {
		return err
	}
	i, err := admin.Inspect(ctx, s, t)
	if err != nil {
		return err
	}
	kept, err := settle.Read(ctx, s, t.Digest)
	if err != nil {
		return err
	}
	shown := verdictOf(i, kept)
	v.answer(shown, func(p *page) { p.verdict(shown, time.Now()) })
	return nil
}

// verdictTarget reads which session is meant, and opens the store.
func (v *invocation) verdictTarget(c *urfave.Command) (admin.Target, lease.Store, error) {
	t, _, err := target(c)
	if err != nil {
		return t, nil, err
	}
	s, err := v.openStore(becomeOwner)
	return t, s, err
}

// clearedVerdict is what was removed.
type clearedVerdict struct {
	shownVerdict
	Cleared bool `json:"cleared"` // false where there was nothing to remove
}

func (v *invocation) verdictClear(ctx context.Context, c *urfave.Command) error {
	t, s, err := v.verdictTarget(c)
	if err != nil {
		return err
	}
	i, err := admin.Inspect(ctx, s, t)
	if err != nil {
		return err
	}
	kept, err := settle.Clear(ctx, s, t.Digest)
	if err != nil {
		return err
	}
	cleared := clearedVerdict{verdictOf(i, kept), !kept.Revision.IsZero()}
	v.published = cleared.Cleared
	v.answer(cleared, func(p *page) { p.cleared(cleared, time.Now()) })
	return nil
}

func (v *invocation) verdictSettle(ctx context.Context, c *urfave.Command) error {
	transcript, err := absolute(c, "transcript")
	if err != nil {
		return err
	}
	t, s, err := v.verdictTarget(c)
	if err != nil {
		return err
	}
	i, err := admin.Inspect(ctx, s, t)
	if err != nil {
		return err
	}
	o, err := settle.Session(ctx, s, i, transcript)
	if err != nil {
		return err
	}
	v.answer(o, func(p *page) { p.outcome(o, time.Now()) })
	return nil
}
