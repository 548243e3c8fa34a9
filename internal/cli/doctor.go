package cli

import (
	"context"

	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/ownership"
)

func (v *invocation) doctorCommand() *urfave.Command {
	return &urfave.Command{
		Description: "It changes nothing. Each problem comes with the command that shows or mends it.",
		Action:      v.doctor,
	}
}

// checkup is what doctor answers.
type checkup struct {
	Store    string          `json:"store"`
	Problems int             `json:"problems"`
	Findings []admin.Finding `json:"findings"`
}

func (v *invocation) doctor(ctx context.Context, c *urfave.Command) error {
	if _, err := positional(c); err != nil {
		return err
	}
	s, err := v.openStore(becomeOwner)
	if err != nil {
		return err
	}
	findings, err := admin.Doctor(ctx, s)
	if err != nil {
		return err
	}
	up := v.checkup(findings)
	v.answer(up, func(p *page) { p.checkup(up) })
	if up.Problems > 0 {
		return &answered{ownership.ReasonFindings, plural(up.Problems, "problem") + " found in " + up.Store}
	}
	return nil
}

func (v *invocation) checkup(findings []admin.Finding) checkup {
	up := checkup{Store: v.location.path, Findings: make([]admin.Finding, len(findings))}
	for n, f := range findings {
		f.Next = v.located(f.Next)
		up.Findings[n] = f
		if f.Problem {
			up.Problems++
		}
	}
	return up
}
