package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"os"
	"path/filepath"

	"holdfast/internal/durable"
)

const (
	fileMode = 0o600
	dirMode  = 0o700
)

// entry is a line of the manifest.
type entry struct {
	name   string // relative to the snapshot, slash-separated
	size   int64  // known only of a snapshot being made
	sha256 string // 64 lowercase hex digits
}

// file is a file of a snapshot being written, hashed on the way.
type file struct {
	*os.File
	entry
	sum hash.Hash
}

func (t *taking) create(name string) (*file, error) {
	f, err := os.OpenFile(t.path(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
	if err != nil {
		return nil, unwritable(t.path(name), err)
	}
	return &file{File: f, entry: entry{name: name}, sum: sha256.New()}, nil
}

func (f *file) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.sum.Write(p[:n])
	f.size += int64(n)
	return n, err
}

// finish makes a file durable, unless writing it failed, and returns its line of the manifest.
func (f *file) finish(err error) (entry, error) {
	if err == nil {
		err = errors.Join(f.Chmod(fileMode), f.Sync())
	}
	err = errors.Join(err, f.Close())
	f.sha256 = hex.EncodeToString(f.sum.Sum(nil))
	return f.entry, err
}

// write makes a file of b.
func (t *taking) write(name string, b []byte) error {
	f, err := t.create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return t.keep(f, err)
}

// keep ends a file and notes it for the manifest.
func (t *taking) keep(f *file, err error) error {
	e, err := f.finish(err)
	if err != nil {
		return unwritable(f.Name(), err)
	}
	t.entries = append(t.entries, e)
	return nil
}

func (t *taking) writeJSON(name string, value any) error {
	b, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	return t.write(name, append(b, '\n'))
}

func syncDirectory(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(durable.SyncDir(f), f.Close())
}

func (t *taking) path(name string) string { return filepath.Join(t.aside, filepath.FromSlash(name)) }
