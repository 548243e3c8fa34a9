package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	urfave "github.com/urfave/cli/v3"

	"holdfast/internal/beside"
	"holdfast/lease"
)

// Opener opens a store by an address that names no directory.
type Opener func(address string) (lease.Store, error)

// remoteScheme begins the addresses of stores that are no directories. remoteCommand has
// the same commands as this one and can open them; this one starts faster without.
const (
	remoteScheme  = "etcd://"
	remoteCommand = "session-etcd"
)

func isRemote(address string) bool { return strings.HasPrefix(address, remoteScheme) }

// addressLike returns how a path begins that somebody meant for a server's address, or "".
func addressLike(path string) string {
	scheme, rest, _ := strings.Cut(strings.ToLower(path), ":")
	switch {
	case len(scheme) == len(path) || !isScheme(scheme):
		return ""
	case scheme == "etcd" || scheme == "etcds":
		return path[:len(scheme)+1]
	case strings.HasPrefix(rest, "/"):
		return path[:len(scheme)+2]
	}
	return ""
}

// isScheme reports whether a lower-case word can begin a URL (RFC 3986, section 3.1).
func isScheme(word string) bool {
	if word == "" || word[0] < 'a' || word[0] > 'z' {
		return false
	}
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789+.-") == ""
}

// refuseForeign refuses what would silently become a directory of that name here, which
// keeps nobody out on any other machine.
func refuseForeign(path string) error {
	kind := addressLike(path)
	if kind == "" {
		return nil
	}
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "open store", Err: fmt.Errorf("%q begins no address of a store", kind),
		Advice: "name a store in etcd as etcd://HOST:PORT/PREFIX (TLS is asked for by HOLDFAST_ETCD_CACERT or HOLDFAST_ETCD_TLS=1), and a directory that has such a name as ./NAME",
	}
}

// openRemote remembers an address only once it was found to hold no secret.
func (v *invocation) openRemote(at location) (lease.Store, error) {
	if v.remote == nil {
		return nil, errors.New("a store that is no directory was not handed over")
	}
	s, err := v.remote(at.path)
	if err != nil {
		return nil, err
	}
	v.location = at
	if closer, ok := s.(io.Closer); ok {
		v.opened = append(v.opened, closer)
	}
	return s, nil
}

// closeStores ends what the command still holds: it ends with this process anyway.
func (v *invocation) closeStores() {
	for _, s := range v.opened {
		_ = s.Close()
	}
}

// storeless are the commands that use no store, or one of their own.
var storeless = []string{"demo", "help", "version", "completion"}

// handingOver lets every command that uses a store leave one that is no directory to the
// command that knows it, before anything else is done.
func (v *invocation) handingOver(all []*urfave.Command) {
	for _, c := range all {
		v.handingOver(c.Commands)
		if c.Action == nil || slices.Contains(storeless, c.Name) {
			continue
		}
		action := c.Action
		c.Action = func(ctx context.Context, c *urfave.Command) error {
			if err := v.handOver(); err != nil {
				return err
			}
			return action(ctx, c)
		}
	}
}

// handOver becomes the command that opens the store, which stands beside this one.
func (v *invocation) handOver() error {
	at, err := v.locate()
	if err != nil || !at.remote || v.remote != nil {
		return nil // whoever opens the store says what is wrong
	}
	path, err := beside.Path(remoteCommand)
	if err != nil {
		return missingCommand(path, err)
	}
	argv := append([]string{path}, v.args[1:]...)
	return missingCommand(path, syscall.Exec(path, argv, os.Environ()))
}

func missingCommand(path string, err error) error {
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "start", Path: path, Err: err,
		Advice: remoteCommand + " opens stores in etcd: " + beside.Build(remoteCommand, path) + ", or name a directory with --store",
	}
}
