package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin"
	"holdfast/internal/gitwork"
	"holdfast/internal/supervise"
	"holdfast/lease"
	"holdfast/ownership"
)

// contract is the exit codes that callers rely on.
var contract = map[ownership.Reason]int{
	ownership.ReasonInternal:         1,
	ownership.ReasonUsage:            64,
	ownership.ReasonUnreadableRecord: 65,
	ownership.ReasonStoreUnavailable: 69,
	ownership.ReasonIO:               74,
	ownership.ReasonActiveOwner:      75,
	ownership.ReasonRecoveryRequired: 76,
	ownership.ReasonPermissionDenied: 77,
	ownership.ReasonRevisionMismatch: 78,
	ownership.ReasonNothingToRecover: 79,
	ownership.ReasonForceRequired:    80,
	ownership.ReasonOwnershipLost:    81,
	ownership.ReasonOutcomeUnknown:   82,
	ownership.ReasonNotQuiescent:     83,
	ownership.ReasonPartial:          84,
	ownership.ReasonAssertionFailed:  85,
	ownership.ReasonFindings:         85,
	ownership.ReasonWaitTimeout:      124,
}

func TestExitsKeepTheContract(t *testing.T) {
	require.Len(t, exits, len(contract))
	for reason, code := range contract {
		refused := &lease.Refusal{Reason: reason, Message: "m"}
		require.Equal(t, reason, exitOf(fmt.Errorf("wrapped: %w", refused)).reason)
		require.Equal(t, code, codeFor(refused), reason)
		require.Equal(t, code, codeOf(reason), reason)
	}
}

func TestExitOf(t *testing.T) {
	refused := &lease.Refusal{Reason: ownership.ReasonActiveOwner}
	unknown := &lease.StoreError{Kind: lease.ErrOutcomeUnknown, Err: syscall.EIO}
	for _, c := range []struct {
		name string
		err  error
		want ownership.Reason
	}{
		{"key", &ownership.KeyError{}, ownership.ReasonUsage},
		{"member of a record", &ownership.FieldError{}, ownership.ReasonUsage},
		{"argument", &usageError{}, ownership.ReasonUsage},
		{"command", supervise.ErrNotFound, ownership.ReasonUsage},
		{"command, before a release of unknown outcome", fmt.Errorf("%w; %w", unknown, supervise.ErrNotFound), ownership.ReasonOutcomeUnknown},
		{"command, before a release that failed", fmt.Errorf("%w; %w", &lease.StoreError{Err: syscall.ENOSPC}, supervise.ErrNotFound), ownership.ReasonIO},
		{"row of a batch", &admin.RowError{}, ownership.ReasonUsage},
		{"end of a wait, behind a refusal", &lease.WaitError{Refusal: refused}, ownership.ReasonWaitTimeout},
		{"unknown outcome", unknown, ownership.ReasonOutcomeUnknown},
		{"unknown outcome before what followed from it", errors.Join(unknown, lease.ErrOwnershipLost, syscall.EACCES), ownership.ReasonOutcomeUnknown},
		{"lost ownership", fmt.Errorf("%w: %w", lease.ErrOwnershipLost, lease.ErrConflict), ownership.ReasonOwnershipLost},
		{"not quiescent", &lease.NotQuiescentError{}, ownership.ReasonNotQuiescent},
		{"permission of the store", &lease.StoreError{Kind: lease.ErrPermission}, ownership.ReasonPermissionDenied},
		{"permission of the system", &lease.StoreError{Err: syscall.EACCES}, ownership.ReasonPermissionDenied},
		{"store", &lease.StoreError{Kind: lease.ErrStoreUnavailable, Err: syscall.EIO}, ownership.ReasonStoreUnavailable},
		{"full disk", &lease.StoreError{Err: syscall.ENOSPC}, ownership.ReasonIO},
		{"read-only", &fs.PathError{Err: syscall.EROFS}, ownership.ReasonIO},
		{"program that failed in a snapshot", snapshotFault("snapshot take", &gitwork.GitError{Err: &exec.ExitError{}}), ownership.ReasonIO},
		{"anything else", errors.New("what"), ownership.ReasonInternal},
		{"panic", &panicError{"what", "there"}, ownership.ReasonInternal},
	} {
		require.Equal(t, c.want, exitOf(c.err).reason, c.name)
	}
}

func TestChosenExitCodes(t *testing.T) {
	refused := &lease.Refusal{Reason: ownership.ReasonActiveOwner}
	require.Equal(t, 0, codeFor(nil))
	require.Equal(t, 137, codeFor(&exitAs{code: 137}))
	require.Equal(t, 3, codeFor(&exitAs{3, refused}))
	require.Equal(t, 84, codeFor(&answered{ownership.ReasonPartial, ""}))
}

func panics() (err error) {
	defer func() { err = caught(recover()) }()
	var none []int
	return fmt.Errorf("never seen: %d", none[0])
}

// A defect says where it is, on one line.
func TestPanicIsToldOnOneLine(t *testing.T) {
	require.Regexp(t, `^panic at exit_test\.go:\d+: .*index out of range.*$`, panics().Error())
}
