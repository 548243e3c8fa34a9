package powercut

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"holdfast/internal/reliability/lab"
)

// kind is a file system, how its power is cut, and how many sessions are used then.
type kind struct {
	name  string
	size  int64
	make  []string
	cut   func(d *disk) error
	how   string
	crowd int
}

var (
	mkExt4 = []string{"mkfs.ext4", "-q", "-F"}
	mkXFS  = []string{"mkfs.xfs", "-q", "-f"}
)

// Ext4 without a journal is not among them, with which nobody wins: what was removed and
// not synced may come back with the power, when a new directory has its inode already, and
// the checker may take that one away.
var kinds = []kind{
	{"ext4", 96 << 20, mkExt4, (*disk).shutdown, "shutdown", 1},
	{"xfs", 300 << 20, mkXFS, (*disk).shutdown, "shutdown", 1},
	{"btrfs", 128 << 20, []string{"mkfs.btrfs", "-q", "-f"}, (*disk).copy, "copy", 1},
	{"ext4", 96 << 20, mkExt4, (*disk).copy, "copy", 1},
	{"ext4", 256 << 20, mkExt4, (*disk).shutdown, "shutdown", many},
	{"xfs", 300 << 20, mkXFS, (*disk).shutdown, "shutdown", many},
	{"ext4", 256 << 20, mkExt4, (*disk).copy, "copy", many},
}

// many sessions of a store wait for the disk together.
const many = 16

func (k kind) String() string {
	if k.crowd > 1 {
		return fmt.Sprintf("%s by %s, %d sessions", k.name, k.how, k.crowd)
	}
	return k.name + " by " + k.how
}

// disk is a file system in a file.
type disk struct {
	kind
	image string
	at    string // where it is mounted
}

func newDisk(k kind, room string) (*disk, error) {
	d := &disk{kind: k, image: filepath.Join(room, "image"), at: filepath.Join(room, "mounted")}
	f, err := os.Create(d.image)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(f.Truncate(k.size), f.Close(), os.Mkdir(d.at, 0o700)); err != nil {
		return nil, err
	}
	if err := run(append(k.make, d.image)...); err != nil {
		return nil, err
	}
	return d, d.mount()
}

func run(words ...string) error {
	out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%q: %w: %s", words, err, out)
	}
	return nil
}

func (d *disk) mount() error {
	options := "loop"
	if d.name == "xfs" {
		options += ",nouuid"
	}
	return run("mount", "-t", d.name, "-o", options, d.image, d.at)
}

// unmount waits for what still uses the file system: processes, and mount namespaces
// that were made meanwhile and have it too. Mounted again before it is let go, it would
// be the one that was shut down.
func (d *disk) unmount() error {
	end := time.Now().Add(lab.Patience)
	err := run("umount", d.at)
	for ; err != nil && time.Now().Before(end); err = run("umount", d.at) {
		time.Sleep(5 * time.Millisecond)
	}
	if err != nil {
		return err
	}
	for ; time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		devices, err := exec.Command("losetup", "--noheadings", "--list", "--associated", d.image).Output()
		if err != nil || len(devices) == 0 {
			return err
		}
	}
	return fmt.Errorf("%s is not let go", d.image)
}

// The request of include/uapi/linux/{ext4,xfs_fs}.h that shuts a file system down at
// once, and the flag by which it does not even flush its journal.
const (
	shutdownRequest = 0x8004587d
	withoutLogFlush = 2
)

func (d *disk) shutdown() error {
	f, err := os.Open(d.at)
	if err != nil {
		return err
	}
	err = unix.IoctlSetPointerInt(int(f.Fd()), shutdownRequest, withoutLogFlush)
	return errors.Join(err, f.Close())
}

// copy takes the image as it is, and goes on with the copy.
func (d *disk) copy() error {
	from, err := os.Open(d.image)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(d.image + ".cut")
	if err != nil {
		return err
	}
	if err := errors.Join(to.Truncate(d.size), copyData(to, from), to.Close()); err != nil {
		return err
	}
	return nil
}

// copyData copies what is not a hole.
func copyData(to, from *os.File) error {
	at := int64(0)
	for {
		begin, err := from.Seek(at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return nil
		}
		if err != nil {
			return err
		}
		if at, err = from.Seek(begin, unix.SEEK_HOLE); err != nil {
			return err
		}
		section := io.NewSectionReader(from, begin, at-begin)
		if _, err := io.Copy(io.NewOffsetWriter(to, begin), section); err != nil {
			return err
		}
	}
}

// restore mounts what the power failure left.
func (d *disk) restore() error {
	if err := d.unmount(); err != nil {
		return err
	}
	if d.how == "copy" {
		if err := os.Rename(d.image+".cut", d.image); err != nil {
			return err
		}
	}
	return d.mount()
}
