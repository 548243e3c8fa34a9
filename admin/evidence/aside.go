package evidence

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"holdfast/internal/gitwork"
)

// aside makes the directory in which the snapshot is built: on the same file system, recognisable, and claimed as long
// as the file is open, which is nil where nothing can be claimed.
func (p place) aside() (dir string, claim *os.File, err error) {
	for {
		if dir, err = p.newAside(); err != nil {
			return "", nil, err
		}
		claim, err = gitwork.Claim(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EWOULDBLOCK) {
			continue // another one took it for left over before it was claimed
		}
		return dir, claim, nil
	}
}

func (p place) newAside() (string, error) {
	dir := filepath.Join(p.parent, p.hidden()+Marker+rand.Text())
	if err := os.Mkdir(dir, dirMode); err != nil {
		return "", unwritable(dir, err)
	}
	if err := os.Chmod(dir, dirMode); err != nil { // whatever the umask
		return "", errors.Join(unwritable(dir, err), os.Remove(dir))
	}
	return dir, nil
}

func (p place) hidden() string { return "." + strings.TrimLeft(p.name, ".") }

// sweep removes what killed processes left of earlier snapshots of this name, or of this session where nobody chose the
// name. A whole one must be there in their stead: until then they may be all that there is.
func (p place) sweep() {
	gitwork.Sweep(p.parent, func(name string) bool {
		before, _, found := strings.Cut(name, Marker)
		return found && strings.HasPrefix(name, ".") && (before == p.hidden() || p.end != "" && strings.HasSuffix(before, p.end))
	})
}
