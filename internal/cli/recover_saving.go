package cli

import (
	urfave "github.com/urfave/cli/v3"

	"holdfast/admin"
	"holdfast/admin/evidence"
)

// saving reads how the work is to be saved before a recovery.
func saving(c *urfave.Command, r *admin.Recovery) (err error) {
	if c.Bool("no-snapshot") {
		r.Snapshot = admin.SnapshotSkip
	}
	for _, name := range []string{"snapshot", "accept"} {
		if c.IsSet(name) && c.Bool("no-snapshot") {
			return wrong(c, "--%s has no meaning with --no-snapshot: give one of them", name)
		}
	}
	if r.Saving.Dir, err = absolute(c, "snapshot"); err != nil || !c.IsSet("accept") {
		return err
	}
	if r.Saving.Accept, err = evidence.ParseAcceptance(c.String("accept")); err != nil {
		return wrong(c, "--accept: %v", err)
	}
	return nil
}

// saver shows how far a snapshot is, and remembers it: it is kept whatever becomes of
// the recovery.
type saver struct {
	*invocation
	bar   *bar
	taken *evidence.Taken // the latest
}

func (v *invocation) savesFor(r *admin.Recovery) *saver {
	s := &saver{invocation: v, bar: v.bar()}
	r.Saving.Progress = s.bar.show
	r.Saving.Taken = func(t evidence.Taken) {
		s.bar.clear()
		s.taken = &t
	}
	return s
}

// tell says on the side what the receipt of the recovery, if there is one, does not.
func (s *saver) tell(r admin.Receipt) {
	s.bar.clear()
	if s.taken == nil {
		return
	}
	if r.Snapshot == nil || r.Snapshot.Manifest != s.taken.Manifest {
		s.remark("a snapshot is kept in %s", s.taken.Dir)
	}
	for _, finding := range s.taken.Findings {
		s.remark("snapshot: %s", finding)
	}
	s.saved(s.taken.Dir)
	s.taken = nil
}

func (s *saver) tellRow(b admin.BatchResult) {
	if b.Receipt == nil {
		s.tell(admin.Receipt{})
		return
	}
	s.tell(*b.Receipt)
}
