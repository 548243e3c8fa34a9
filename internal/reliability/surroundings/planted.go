package surroundings

import (
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/lab"
)

// plants puts something that is not a file under a name. A target must stay as it is,
// or missing.
var plants = map[string]func(path, target string) error{
	"link":          func(path, target string) error { return os.Symlink(target, path) },
	"dangling link": func(path, target string) error { return os.Symlink(target+".missing", path) },
	"FIFO":          func(path, _ string) error { return unix.Mkfifo(path, 0o600) },
	"directory":     func(path, _ string) error { return os.Mkdir(path, 0o700) },
	"socket": func(path, _ string) error {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err == nil {
			l.SetUnlinkOnClose(false)
			err = l.Close()
		}
		return err
	},
}

// planted: whatever stands in the place of a file is refused or replaced, never
// followed, and nothing waits for it.
func planted(v *visit) {
	kinds := slices.Sorted(maps.Keys(plants))
	for _, i := range v.plan.Chosen(numbers(len(kinds) * len(places))) {
		place, kind := places[i/len(kinds)], kinds[i%len(kinds)]
		v.must(os.RemoveAll(v.store()))
		v.expect([]int{0}, nil, acquireAndRelease...)
		v.plant(filepath.Join(v.store(), "sessions", lab.Digest.String(), place), kind, plants[kind])
	}
}

// places are the names under which something is planted, seen from the session.
var places = []string{
	"record.json", "life.2", "kin.2", "next.2.json", "pulse.json", "rev.x",
	"../" + lab.Digest.String(), "../../quarantine", "../../holdfast.store",
}

func (v *visit) plant(path, kind string, plant func(path, target string) error) {
	target := filepath.Join(v.dir, "target")
	short := filepath.Join(v.dir, "p") // a socket's name may not be long
	v.must(os.WriteFile(target, []byte("untouched"), 0o600))
	if !v.must(os.RemoveAll(path)) || !v.must(plant(short, target)) || !v.must(os.Rename(short, path)) {
		return
	}
	where := v.where
	v.where += ": a " + kind + " as " + filepath.Base(path)
	defer func() { v.where = where }()
	codes := []int{0, 65, 69, 74, 77}
	v.expect(codes, nil, acquireAndRelease...)
	v.expect(append(codes, 84, 85), nil, "list")
	v.expect(append(codes, 84, 85), nil, "doctor")
	v.expect(append(codes, 84, 85), nil, "prune", "--older-than", "0s")
	if b, err := os.ReadFile(target); err != nil || string(b) != "untouched" {
		v.fault("the target was touched: %q, %v", b, err)
	}
	if _, err := os.Lstat(target + ".missing"); err == nil {
		v.fault("the target was created")
	}
	v.report.Count("things planted", 1)
}
