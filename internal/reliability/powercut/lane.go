package powercut

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"holdfast/internal/reliability/lab"
)

// Run cuts the power as often as the plan has rounds, of each kind in turn.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("power cuts", p.Seed)
	if why := Missing(); why != "" {
		return r, fmt.Errorf("cannot run here: %s", why)
	}
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	p.Jobs = min(p.Jobs, len(kinds))
	each := (p.Rounds + len(kinds) - 1) / len(kinds)
	p.Each(ctx, len(kinds), func(ctx context.Context, _, i int) {
		dir := filepath.Join(room, fmt.Sprint(i))
		if err := session(ctx, r, p, kinds[i], dir, each); err != nil {
			r.Fault(kinds[i].String(), err.Error())
		}
	})
	return r, nil
}

// Missing says what is needed to cut the power here and is not there, or nothing.
func Missing() string {
	if os.Geteuid() != 0 {
		return "only root may mount"
	}
	for _, tool := range []string{"mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mount", "losetup"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "there is no " + tool
		}
	}
	if out, err := exec.Command("losetup", "-f").CombinedOutput(); err != nil {
		return "there are no loop devices: " + string(out)
	}
	return ""
}

// session cuts the power of one file system again and again.
func session(ctx context.Context, r *lab.Report, p lab.Plan, k kind, room string, cuts int) (err error) {
	if err := run("mkdir", "-p", room); err != nil {
		return err
	}
	d, err := newDisk(k, room)
	if err != nil {
		return err
	}
	defer func() {
		if failed := d.unmount(); err == nil {
			err = failed
		}
	}()
	chance := rand.New(rand.NewPCG(uint64(p.Seed), uint64(len(k.String()))))
	var users *users
	end := time.Now().Add(p.For)
	for n := range cuts {
		if n%k.cutsOfAStore() == 0 {
			users = newUsers(r, filepath.Join(d.at, fmt.Sprintf("store-%d", n)), k.crowd)
		}
		if p.For > 0 && time.Now().After(end) {
			return nil
		}
		where := fmt.Sprintf("%v, cut %d", k, n)
		if err := users.workUntil(ctx, chance, d); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		if err := d.restore(); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
		r.Count("cuts of "+k.String(), 1)
		r.Count("cuts", 1)
		if wrong := users.judge(ctx); len(wrong) > 0 {
			r.Fault(where, wrong...)
			return nil
		}
	}
	return nil
}

// cutsOfAStore is how many cuts one store goes through: its history is judged whole every
// time.
func (k kind) cutsOfAStore() int {
	if k.crowd > 1 {
		return 4
	}
	return 20
}
