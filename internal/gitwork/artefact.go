package gitwork

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/durable"
)

// Artefact is a file that a capture wrote.
type Artefact struct {
	Name   string `json:"name"` // relative to the directory given, slash-separated
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // of what was handed to the system, 64 lowercase hex digits
}

// output is the directory that a capture writes into.
type output struct {
	dir       string // given by the caller
	prefix    string // "" or "nested/000/" and so on
	artefacts *[]Artefact
}

func (o output) path(name string) string { return filepath.Join(o.dir, o.prefix, name) }

// artefact is a file being written, hashed on the way.
type artefact struct {
	*os.File
	out  output
	name string
	sum  hash.Hash
	size int64
	back int64 // up to here the kernel was asked to write to the disk
}

// writeBackEvery is after how many bytes the kernel is asked to go on writing.
const writeBackEvery = 8 << 20

func (o output) create(name string) (*artefact, error) {
	f, err := os.OpenFile(o.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return &artefact{File: f, out: o, name: name, sum: sha256.New()}, nil
}

func (a *artefact) Write(p []byte) (int, error) {
	n, err := a.File.Write(p)
	a.sum.Write(p[:n])
	a.size += int64(n)
	if a.size-a.back >= writeBackEvery {
		writeBack(a.File, a.back, a.size-a.back)
		a.back = a.size
	}
	return n, err
}

// ReadFrom and WriteString hide those of the file, which would go past the hash.
func (a *artefact) ReadFrom(r io.Reader) (int64, error) { return io.Copy(writerOnly{a}, r) }

func (a *artefact) WriteString(s string) (int, error) { return a.Write([]byte(s)) }

type writerOnly struct{ io.Writer }

// finish makes the artefact durable and notes it, or gives up after err.
func (a *artefact) finish(err error) error {
	if err == nil {
		err = a.Sync()
	}
	if err = errors.Join(err, a.Close()); err != nil {
		return err
	}
	*a.out.artefacts = append(*a.out.artefacts, Artefact{a.out.prefix + a.name, a.size, hex.EncodeToString(a.sum.Sum(nil))})
	return nil
}

// write makes an artefact of b.
func (o output) write(name string, b []byte) error {
	a, err := o.create(name)
	if err != nil {
		return err
	}
	_, err = a.Write(b)
	return a.finish(err)
}

// copy makes an artefact of a file of ours and gives it the same modification time.
func (o output) copy(name, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	a, err := o.create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(a, src)
	if info, statErr := src.Stat(); err == nil && statErr == nil {
		err = os.Chtimes(a.Name(), info.ModTime(), info.ModTime())
	}
	return a.finish(err)
}

// copyIfThere is copy, unless there is no such file.
func (o output) copyIfThere(name, from string) error {
	if _, err := os.Lstat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return o.copy(name, from)
}

// directory makes a directory for artefacts.
func (o output) directory(name string) error { return os.MkdirAll(o.path(name), 0o700) }

// syncDirectories makes the names of all artefacts durable, from the innermost directory to the caller's own.
func (o output) syncDirectories() error {
	dirs := []string{o.dir}
	for _, a := range *o.artefacts {
		for dir := filepath.Dir(filepath.Join(o.dir, a.Name)); len(dir) > len(o.dir); dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	}
	slices.SortFunc(dirs, func(a, b string) int { return strings.Compare(b, a) })
	for _, dir := range slices.Compact(dirs) {
		if err := syncDirectory(dir); err != nil {
			return err
		}
	}
	return nil
}

func syncDirectory(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(durable.SyncDir(f), f.Close())
}
