package cli

import (
	"context"
	"runtime/debug"
	"strings"

	urfave "github.com/urfave/cli/v3"
)

func (v *invocation) versionCommand() *urfave.Command {
	return &urfave.Command{
		Action: func(_ context.Context, c *urfave.Command) error {
			if _, err := positional(c); err != nil {
				return err
			}
			v.tellVersion()
			return nil
		},
	}
}

// versionAlone refuses a command behind --version: what it would do is not done.
func (v *invocation) versionAlone(ctx context.Context, c *urfave.Command) (context.Context, error) {
	if name := c.Args().First(); v.version && name != "" {
		return ctx, wrong(c, "--version is answered alone, and %.80q stands behind it", name)
	}
	return ctx, nil
}

func (v *invocation) tellVersion() {
	b := thisBuild()
	v.answer(b, func(p *page) { p.line(strings.TrimSpace("session " + b.Version + " " + b.Revision)) })
}

// build names the sources that the program was built from.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision"`
	Go       string `json:"go"`
}

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{Version: "unknown"}
	}
	b := build{Version: info.Main.Version, Go: info.GoVersion}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Revision = s.Value
		}
	}
	return b
}
