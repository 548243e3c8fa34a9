// Bbolt is the command that somebody might write in the place of an acquire and a
// release: it opens a database, commits twice and closes it.
package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

func main() {
	if err := commitTwice(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func commitTwice(path, key string) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second})
	if err != nil {
		return err
	}
	return errors.Join(own(db, key), disown(db, key), db.Close())
}

// own puts the owner where nobody is.
func own(db *bbolt.DB, key string) error {
	return db.Update(func(tx *bbolt.Tx) error {
		b, err := tx.CreateBucketIfNotExists([]byte("owners"))
		if err != nil {
			return err
		}
		if owner := b.Get([]byte(key)); owner != nil {
			return fmt.Errorf("%q is held by %s", key, owner)
		}
		return b.Put([]byte(key), fmt.Append(nil, os.Getpid()))
	})
}

func disown(db *bbolt.DB, key string) error {
	return db.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("owners")).Delete([]byte(key)) })
}
