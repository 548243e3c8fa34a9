package cli

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"holdfast/lease"
)

// rootPolicy says what root does in a store that belongs to somebody else.
type rootPolicy int

const (
	// becomeOwner makes root the store's owner for good: what a record names must not
	// be read with root's eyes, nor what is written belong to root.
	becomeOwner rootPolicy = iota
	// refuseRoot keeps root out: a session that root owned would be beyond the reach of
	// the store's owner.
	refuseRoot
)

// apply carries out the policy for the store at a path, before anything in it is
// opened. A store that does not exist has no owner yet.
func (r rootPolicy) apply(path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // whoever opens it says what is wrong
	}
	owner := info.Sys().(*syscall.Stat_t)
	if owner.Uid == 0 {
		return nil
	}
	if r == refuseRoot {
		return &lease.StoreError{Kind: lease.ErrPermission, Op: "use store", Path: path,
			Err:    fmt.Errorf("it belongs to %s, not to root", userName(owner.Uid)),
			Advice: fmt.Sprintf("run it as that user: sudo -u %s session run …", userName(owner.Uid))}
	}
	return become(int(owner.Uid), int(owner.Gid))
}

// become gives up root for good. The groups go first: later there is no right to.
func become(uid, gid int) error {
	groups := []int{gid}
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		gid, groups = groupsOf(u, gid)
		_ = os.Setenv("HOME", u.HomeDir) // where snapshots go is theirs too; it fails for no such name
	}
	for _, step := range []func() error{
		func() error { return syscall.Setgroups(groups) },
		func() error { return syscall.Setgid(gid) },
		func() error { return syscall.Setuid(uid) },
	} {
		if err := step(); err != nil {
			return &lease.StoreError{Kind: lease.ErrPermission, Op: fmt.Sprintf("become user %d", uid), Err: err}
		}
	}
	return nil
}

func groupsOf(u *user.User, fallback int) (primary int, all []int) {
	primary, err := strconv.Atoi(u.Gid)
	if err != nil {
		primary = fallback
	}
	ids, _ := u.GroupIds() // none known: fewer rights, not more
	for _, id := range ids {
		if n, err := strconv.Atoi(id); err == nil {
			all = append(all, n)
		}
	}
	return primary, append(all, primary)
}

func userName(uid uint32) string {
	if u, err := user.LookupId(strconv.Itoa(int(uid))); err == nil {
		return u.Username
	}
	return "#" + strconv.Itoa(int(uid))
}
