package cli

import (
	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/ownership"
)

// digestFlag names a session wherever KEY stands.
func digestFlag() urfave.Flag {
	return &urfave.StringFlag{Name: "digest", Usage: "`HEX` digest of the session's key, 64 digits, in the place of KEY", OnlyOnce: true}
}

// target reads KEY, or --digest in its place, and the arguments behind it.
func target(c *urfave.Command, behind ...string) (admin.Target, []string, error) {
	if !c.IsSet("digest") {
		args, err := positional(c, append([]string{"KEY"}, behind...)...)
		if err != nil {
			return admin.Target{}, nil, err
		}
		key, err := ownership.ParseKey(args[0])
		if err != nil {
			return admin.Target{}, nil, wrong(c, "%v", err)
		}
		return admin.ByKey(key), args[1:], nil
	}
	if c.Args().Len() == len(behind)+1 {
		return admin.Target{}, nil, wrong(c, "KEY %q and --digest both name a session: give one of them", c.Args().First())
	}
	args, err := positional(c, behind...)
	if err != nil {
		return admin.Target{}, nil, err
	}
	d, err := ownership.ParseDigest(c.String("digest"))
	if err != nil {
		return admin.Target{}, nil, wrong(c, "--digest %q: %v", c.String("digest"), err)
	}
	return admin.ByDigest(d), args, nil
}
