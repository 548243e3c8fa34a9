package dirstore

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"holdfast/internal/durable"
	"holdfast/ownership"
)

// List yields what is named after a digest in sessions/, and nothing else.
func (s *Store) List(ctx context.Context) iter.Seq2[ownership.Digest, error] {
	return func(yield func(ownership.Digest, error) bool) {
		err := s.list(ctx, func(d ownership.Digest) bool { return yield(d, nil) })
		if err != nil {
			yield(ownership.Digest{}, s.failed("list", s.at(sessionsName), err))
		}
	}
}

func (s *Store) list(ctx context.Context, yield func(ownership.Digest) bool) error {
	store, err := s.openStore()
	if store == nil {
		return err
	}
	defer store.Close()
	sessions, err := durable.OpenRoot(store, sessionsName)
	if err != nil {
		return ignoreMissing(err)
	}
	defer sessions.Close()
	f, err := sessions.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	return eachDigest(ctx, f, yield)
}

// eachDigest reads in batches: a store may have very many sessions.
func eachDigest(ctx context.Context, dir *os.File, yield func(ownership.Digest) bool) error {
	for {
		names, err := dir.Readdirnames(1024)
		for _, name := range names {
			if d, parseErr := ownership.ParseDigest(name); parseErr == nil && !yield(d) {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}
