package surroundings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"holdfast/internal/reliability/lab"
)

// surrounding is a place, and what must hold there.
type surrounding struct {
	name string
	try  func(*visit)
}

var all = []surrounding{
	{"umask", umasks},
	{"another user's store", anotherUser},
	{"things in the place of files", planted},
	{"a pid that is used again", reusedPID},
	{"an owner that is stopped", stoppedOwner},
	{"an owner that is frozen", frozenOwner},
	{"a full file system", full},
	{"no inodes", noInodes},
	{"a read-only mount", readOnly},
	{"a file system that is taken away", takenAway},
}

// Missing says what is needed here and is not there, or nothing.
func Missing() string {
	if os.Geteuid() != 0 {
		return "only root may mount, and become others"
	}
	for _, tool := range []string{"setpriv", "unshare", "mount"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "there is no " + tool
		}
	}
	return ""
}

// Run visits every surrounding once. In one that has many variants, the plan's rounds
// bound how many are tried.
func Run(ctx context.Context, p lab.Plan) (*lab.Report, error) {
	r := lab.NewReport("surroundings", p.Seed)
	if why := Missing(); why != "" {
		return r, errors.New(why)
	}
	room, remove, err := p.Room()
	if err != nil {
		return r, err
	}
	defer remove()
	if err := os.Chmod(room, 0o755); err != nil { // others must find the command
		return r, err
	}
	binary := filepath.Join(room, "session")
	if err := copyBinary(binary); err != nil {
		return r, err
	}
	p.Each(ctx, len(all), func(ctx context.Context, _, i int) {
		dir := filepath.Join(room, fmt.Sprint(i))
		v := &visit{ctx: ctx, plan: p, report: r, where: all[i].name, dir: dir, binary: binary}
		defer v.leave()
		if v.must(os.Mkdir(dir, 0o755)) {
			all[i].try(v)
			r.Count("surroundings", 1)
		}
	})
	return r, nil
}

func copyBinary(to string) error {
	b, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	return os.WriteFile(to, b, 0o755)
}
