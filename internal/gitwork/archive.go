package gitwork

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"holdfast/internal/zst"
)

// archive is a tar.zst artefact being written. Names go in as they are, in the format of GNU tar, which keeps every
// byte of them; times are whole seconds there, and worktree.jsonl has the rest.
type archive struct {
	ctx  context.Context
	art  *artefact
	zst  packed
	tar  *tar.Writer
	read func(bytes int64)
}

// archive begins an archive. What compresses is no part of this program: without it, the archive is larger.
func (c *capture) archive(ctx context.Context, name string, level zst.Level, read func(int64)) (*archive, error) {
	art, err := c.out.create(name)
	if err != nil {
		return nil, err
	}
	z, err := packer().NewWriter(ctx, art, zst.Options{Level: level, Threads: c.options.Threads})
	if err != nil {
		return nil, art.finish(err)
	}
	if why := z.Plain(); why != nil {
		*c.plain = why
	}
	p := packed{art.Name(), z}
	return &archive{ctx, art, p, tar.NewWriter(p), read}, nil
}

// finish completes the archive, or gives it up after err.
func (a *archive) finish(err error) error {
	if err == nil {
		err = a.tar.Close()
	}
	if err == nil {
		err = a.zst.Close()
	} else {
		a.zst.to.GiveUp()
	}
	return a.art.finish(err)
}

func header(name string, st stamp) *tar.Header {
	return &tar.Header{
		Format: tar.FormatGNU, Name: name, Mode: int64(st.perm()),
		ModTime: time.Unix(st.Mtime/int64(time.Second), 0),
	}
}

func (a *archive) addDirectory(name string, st stamp) error {
	h := header(strings.TrimSuffix(name, "/")+"/", st)
	h.Typeflag = tar.TypeDir
	return a.tar.WriteHeader(h)
}

func (a *archive) addLink(name, target string, st stamp) error {
	h := header(name, st)
	h.Typeflag, h.Linkname = tar.TypeSymlink, target
	return a.tar.WriteHeader(h)
}

func (a *archive) addFIFO(name string, st stamp) error {
	h := header(name, st)
	h.Typeflag = tar.TypeFifo
	return a.tar.WriteHeader(h)
}

// kept is what an archive holds of a file.
type kept struct {
	stamp
	sha256 string
	moved  bool
}

// addFile adds a file of the source, once more if it moves meanwhile: of two entries with one name the later counts.
// A file that became shorter while it was read is filled up with zeros, and moved is then true.
//
// Mode and time are the file's own, or those of as where it is a copy of something.
func (a *archive) addFile(name, from string, as *stamp) (k kept, err error) {
	for range stableTries {
		if k, err = a.addOnce(name, from, as); err != nil || !k.moved {
			break
		}
	}
	return k, err
}

func (a *archive) addOnce(name, from string, as *stamp) (kept, error) {
	f, err := openSource(from)
	if err != nil {
		return kept{}, err
	}
	defer f.Close()
	before, err := fstat(f)
	if err != nil {
		return kept{}, err
	}
	if !before.isRegular() {
		return kept{}, &os.PathError{Op: "read", Path: from, Err: fs.ErrNotExist} // replaced by something else
	}
	if as == nil {
		as = &before
	}
	h := header(name, *as)
	h.Typeflag, h.Size = tar.TypeReg, before.Size
	if err := a.tar.WriteHeader(h); err != nil {
		return kept{}, err
	}
	sum := sha256.New()
	if err := a.fill(f, before.Size, sum); err != nil {
		return kept{}, err
	}
	after, err := fstat(f)
	return kept{before, hex.EncodeToString(sum.Sum(nil)), before != after}, err
}

// fill writes exactly size bytes, since the header has promised them.
func (a *archive) fill(f *os.File, size int64, sum hash.Hash) error {
	b := buffers.Get().(*[256 << 10]byte)
	defer buffers.Put(b)
	for left := size; left > 0; {
		if err := context.Cause(a.ctx); err != nil {
			return err
		}
		n, err := f.Read(b[:min(left, int64(len(b)))])
		if err != nil && err != io.EOF {
			return err
		}
		if n == 0 {
			n = int(min(left, int64(len(b))))
			clear(b[:n])
		}
		sum.Write(b[:n])
		if _, err := a.tar.Write(b[:n]); err != nil {
			return err
		}
		a.read(int64(n))
		left -= int64(n)
	}
	return nil
}
