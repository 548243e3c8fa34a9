package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"holdfast/lease"
)

// silent reports whether an error is the want of an answer. Servers before 3.5 say so in
// words only.
func silent(err error) bool {
	code := status.Code(err)
	inWords := code == codes.Unknown && strings.Contains(err.Error(), context.DeadlineExceeded.Error())
	return errors.Is(err, context.DeadlineExceeded) || code == codes.DeadlineExceeded || inWords
}

// failed gives what a question met the form that callers are promised. What the caller
// called off is the caller's own error.
func (s *Store) failed(ctx context.Context, op, key string, err error) error {
	var done *lease.StoreError
	switch {
	case err == nil || errors.As(err, &done):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return s.explained(op, key, err)
}

// explained says what is wrong and what to do about it.
func (s *Store) explained(op, key string, err error) error {
	e := &lease.StoreError{Kind: lease.ErrStoreUnavailable, Op: op, Path: s.at(key), Err: err}
	switch {
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		e.Kind, e.Advice = lease.ErrPermission, fmt.Sprintf("have the role of user %q granted readwrite on the prefix %q", s.config.Username, string(s.keys)+"/")
	case errors.Is(err, rpctypes.ErrAuthFailed), errors.Is(err, rpctypes.ErrInvalidAuthToken):
		e.Kind, e.Advice = lease.ErrPermission, fmt.Sprintf("see that %s and %s are those of a user of this cluster", UserVariable, PasswordFileVariable)
	case errors.Is(err, rpctypes.ErrUserEmpty):
		e.Kind, e.Advice = lease.ErrPermission, fmt.Sprintf("this cluster wants a user: set %s and %s", UserVariable, PasswordFileVariable)
	case errors.Is(err, rpctypes.ErrNoSpace):
		e.Advice = "the cluster's database is full: have its administrator compact and defragment it and disarm the alarm"
	case errors.Is(err, errClosed):
		e.Kind = nil
	default:
		e.Err, e.Advice = s.diagnosed(err)
	}
	return e
}

// refused are the answers of a server that has not done what it was asked, and will not.
var refused = []error{
	rpctypes.ErrPermissionDenied, rpctypes.ErrAuthFailed, rpctypes.ErrUserEmpty, rpctypes.ErrInvalidAuthToken,
	rpctypes.ErrAuthOldRevision, rpctypes.ErrNoSpace, rpctypes.ErrRequestTooLarge, rpctypes.ErrTooManyRequests,
	rpctypes.ErrTooManyOps, rpctypes.ErrLeaseNotFound, rpctypes.ErrNoLeader, rpctypes.ErrNotCapable,
}

// definite reports whether an error says that nothing was changed (I9). Whatever is not
// known to say so does not.
func definite(err error) bool {
	for _, known := range refused {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.Is(err, errClosed)
}
