package journal

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"

	"holdfast/internal/durable"
	"holdfast/internal/random"
)

// create makes an empty journal beside its place and links it there, so that what has
// its name is a whole one from the first moment. Whoever comes second takes what is
// there. The order:
//
//	create the temporary file exclusively → fchmod → the empty database, synced
//	link it to its name → remove the temporary name
//	fsync the directory: the name is durable before any record relies on it
func (j *Journal) create(ctx context.Context) error {
	root, err := os.OpenRoot(j.dir())
	if err != nil {
		return err
	}
	defer root.Close()
	var unique [8]byte
	random.Read(unique[:])
	temporary := j.name() + "." + hex.EncodeToString(unique[:])
	if err := j.makeEmpty(ctx, root, temporary); err != nil {
		return errors.Join(err, ignoreMissing(root.Remove(temporary)))
	}
	err = root.Link(temporary, j.name())
	if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err := errors.Join(err, root.Remove(temporary)); err != nil {
		return err
	}
	return syncDir(root)
}

func (j *Journal) makeEmpty(ctx context.Context, root *os.Root, name string) error {
	f, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|openFlags, durable.FileMode)
	if err != nil {
		return err
	}
	if err := f.Chmod(durable.FileMode); err != nil {
		return errors.Join(err, f.Close())
	}
	// The lock tells whoever cleans up that this file is being made.
	if err := j.lock(ctx, f, writing); err != nil {
		return errors.Join(err, f.Close())
	}
	return guarded(f, writing, func(db *bbolt.DB) error {
		return db.Update(makeBuckets)
	})
}

func makeBuckets(tx *bbolt.Tx) error {
	for _, name := range [][]byte{recordsBucket, straysBucket, eventsBucket, timesBucket} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}

func syncDir(root *os.Root) error {
	dir, err := root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(durable.SyncDir(dir), dir.Close())
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
