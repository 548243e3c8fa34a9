package dirstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"holdfast/internal/durable"
	"holdfast/ownership"
)

// shelf is the place in quarantine/ of what a session had under a revision.
type shelf struct {
	store    *os.Root
	root     durable.Dir // the store's
	digest   ownership.Digest
	revision ownership.Revision
}

// keep gives bytes a name in quarantine/, unless they are there already, and makes the
// name, which it returns, durable.
func (q shelf) keep(give func(name string) error) (string, error) {
	kept, err := q.firstName(func(name string) error {
		err := give(name)
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		same, readErr := q.has(name)
		if same || readErr != nil {
			return readErr
		}
		return err
	})
	return kept, errors.Join(err, q.sync())
}

// firstName offers one name after the other until one is not taken.
func (q shelf) firstName(take func(name string) error) (string, error) {
	for n := 1; ; n++ {
		name := q.name(n)
		if err := take(name); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
}

// name returns the name of the n-th thing of one session that has the revision. All
// directories are described by the same line.
func (q shelf) name(n int) string {
	name := path.Join(quarantineName, q.digest.String()+"."+q.revision.String())
	if n > 1 {
		name = fmt.Sprintf("%s.%d", name, n)
	}
	return name
}

// has reports whether the bytes are under a name already, put there by an earlier
// attempt.
func (q shelf) has(name string) (bool, error) {
	stored, err := readNamed(context.Background(), q.store, name)
	var irregular *irregularError
	if errors.As(err, &irregular) {
		return false, nil
	}
	return err == nil && stored.Revision == q.revision, err
}

func (q shelf) sync() error {
	room, err := q.root.OpenDir(quarantineName)
	if err != nil {
		return err
	}
	return errors.Join(room.Sync(), room.Close())
}
