package cli

import (
	"os"
	"path/filepath"
	"slices"

	"holdfast/lease"
	"holdfast/lease/dirstore"
)

// location is where a store is looked for.
type location struct {
	path   string
	byRule bool // a shell without any setting of ours finds it there
	remote bool // it is no directory
}

// locate says where the store is: --store, else HOLDFAST_STORE, else the user's state
// directory.
func (v *invocation) locate() (location, error) {
	path := v.storeFlag
	if path == "" {
		path = os.Getenv("HOLDFAST_STORE")
	}
	standard, err := standardPath()
	if path == "" {
		return location{path: standard, byRule: true}, err
	}
	if isRemote(path) {
		return location{path: path, remote: true}, nil
	}
	if err := refuseForeign(path); err != nil {
		return location{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return location{}, &lease.StoreError{Op: "open store", Path: path, Err: err}
	}
	return location{path: abs, byRule: abs == standard}, nil
}

// standardPath follows the XDG base directory specification, by which a relative path
// counts as none.
func standardPath() (string, error) {
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "holdfast"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", &lease.StoreError{Kind: lease.ErrStoreUnavailable, Op: "find the store", Err: err, Advice: "name a directory with --store"}
	}
	return filepath.Join(home, ".local", "state", "holdfast"), nil
}

// located returns commands that find the store from any shell.
func (v *invocation) located(all []lease.Next) []lease.Next {
	out := make([]lease.Next, 0, len(all))
	for _, n := range all {
		if n.Argv[0] == "session" {
			n.Argv = slices.Insert(slices.Clone(n.Argv), 1, v.storeOptions()...)
		}
		out = append(out, n)
	}
	return out
}

func (v *invocation) storeOptions() []string {
	var options []string
	if !v.location.byRule && v.location.path != "" {
		options = append(options, "--store", v.location.path)
	}
	if v.allowNetworkFS {
		options = append(options, "--allow-network-fs")
	}
	return options
}

// openStore finds the store and opens it, as whoever the policy makes of root.
// Nothing is created.
func (v *invocation) openStore(root rootPolicy) (lease.Store, error) {
	at, err := v.locate()
	if err != nil {
		return nil, err
	}
	if at.remote {
		return v.openRemote(at)
	}
	v.location = at
	if err := root.apply(at.path); err != nil {
		return nil, err
	}
	return dirstore.Open(at.path, dirstore.Options{AllowNetworkFS: v.allowNetworkFS})
}
