package gitwork

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// readArchive calls do with every entry of a tar.zst artefact. One that is not there has no entries.
func readArchive(ctx context.Context, file string, do func(*tar.Header, io.Reader) error) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return badEvidence(file, "%v", err)
	}
	defer f.Close()
	z, err := packer().NewReader(ctx, f, maxWindow)
	if err != nil {
		return unpackFault(ctx, file, err)
	}
	defer z.Close()
	return readTar(ctx, unpacked{ctx, file, z}, do)
}

func readTar(ctx context.Context, u unpacked, do func(*tar.Header, io.Reader) error) error {
	t := tar.NewReader(u)
	for {
		h, err := t.Next()
		if err == io.EOF {
			_, err := io.Copy(io.Discard, u) // the checksum of the frame is behind the last entry
			return err
		}
		if err != nil {
			return unpackFault(ctx, u.file, u.proved(err))
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		h.Name = strings.TrimSuffix(h.Name, "/")
		if err := do(h, t); err != nil {
			if errors.Is(err, ErrEvidence) {
				err = u.proved(err)
			}
			return err
		}
	}
}

// maxWindow bounds what a frame may make the decoder hold.
const maxWindow = 128 << 20

// place is a directory being filled from archives. Nothing written through it lands outside.
type place struct {
	root *os.Root
}

// put makes what h says, over what an earlier entry of that name made.
func (p place) put(h *tar.Header, content io.Reader) error {
	if h.Typeflag == tar.TypeDir {
		return p.root.MkdirAll(h.Name, 0o700)
	}
	if err := p.root.MkdirAll(path.Dir(h.Name), 0o700); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return p.file(h.Name, content)
	case tar.TypeSymlink:
		return p.root.Symlink(h.Linkname, h.Name)
	case tar.TypeFifo:
		return p.fifo(h.Name)
	}
	return badEvidence(h.Name, "an archive has an entry of type %q", h.Typeflag)
}

func (p place) file(name string, content io.Reader) error {
	f, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(&holey{file: f}, content)
	if err == nil {
		err = truncateHere(f) // a hole at the end is none yet
	}
	return errors.Join(err, f.Close())
}

// holey leaves a hole for what is nothing but zeros: an image of a disk takes no more room than it did.
type holey struct {
	file *os.File
}

var zeros [32 << 10]byte

func (h *holey) Write(p []byte) (int, error) {
	if len(p) > len(zeros) || !bytes.Equal(p, zeros[:len(p)]) {
		return h.file.Write(p)
	}
	_, err := h.file.Seek(int64(len(p)), io.SeekCurrent)
	return len(p), err
}

func truncateHere(f *os.File) error {
	size, err := f.Seek(0, io.SeekCurrent)
	if err == nil {
		err = f.Truncate(size)
	}
	return err
}

// fifo makes a FIFO; its directory was resolved inside the root by put.
func (p place) fifo(name string) error {
	return unix.Mkfifo(filepath.Join(p.root.Name(), name), 0o600)
}
