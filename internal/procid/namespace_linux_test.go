package procid

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

func itoa(n int) string { return strconv.Itoa(n) }

// isolated is this test binary behind unshare(1) with some options, or a skip.
func isolated(t *testing.T, options []string, command ...string) *exec.Cmd {
	t.Helper()
	if out, err := exec.Command("unshare", append(options, "true")...).CombinedOutput(); err != nil {
		testkit.Skip(t, "unshare is not permitted: "+string(out))
	}
	return exec.Command("unshare", append(options, command...)...)
}

var (
	ownProc     = []string{"--pid", "--fork", "--mount-proc"}
	foreignProc = []string{"--pid", "--fork"}
	ownMounts   = []string{"--mount"}
)

// namespaceOf is the pid namespace of a process that we may inspect.
func namespaceOf(t *testing.T, pid int) *uint64 {
	t.Helper()
	dir, err := openDir("/proc/" + itoa(pid))
	require.NoError(t, err)
	defer dir.close()
	namespace, err := dir.namespace()
	require.NoError(t, err)
	return &namespace
}

// onlyChild is the single process that a peer has started.
func onlyChild(t *testing.T, p *peer) Process {
	t.Helper()
	scan, err := ScanNow(ctx)
	require.NoError(t, err)
	children := scan.Descendants(p.cmd.Process.Pid)
	require.Len(t, children, 1)
	return children[0]
}

func TestProcessOfANamespaceBelowOurs(t *testing.T) {
	p := start(t, "wait", isolated(t, ownProc, self(t).Path))
	inside := p.readSelf(t)
	require.Equal(t, 1, inside.PID)
	outside := onlyChild(t, p)
	namespace := namespaceOf(t, outside.PID)

	found, ok, err := Exists(namespace, inside.PID, &inside.StartTicks)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, outside, found, "numbered as we see it")

	_, ok, err = Exists(namespace, inside.PID, new(inside.StartTicks+1))
	require.NoError(t, err)
	require.False(t, ok)
	_, ok, err = Exists(namespace, outside.PID, nil)
	require.NoError(t, err)
	require.False(t, ok, "our number is not its number there")

	p.end()
	requireNoneOrUnseen(t, namespace, inside)
}

// requireNoneOrUnseen: of a namespace without any process only the first namespace, which has them all, can tell.
func requireNoneOrUnseen(t *testing.T, namespace *uint64, p Process) {
	t.Helper()
	_, ok, err := Exists(namespace, p.PID, &p.StartTicks)
	require.False(t, ok)
	if *ownNamespace() == initialNamespace {
		require.NoError(t, err)
		return
	}
	require.ErrorIs(t, err, ErrNamespaceUnseen)
}

// ask starts a reporter that looks for this very test, and returns its answer.
func ask(t *testing.T, role string, cmd *exec.Cmd) (r report) {
	t.Helper()
	start(t, role, cmd).read(t, &r)
	return r
}

func whereWeAre() []string {
	return []string{strconv.FormatUint(*ownNamespace(), 10), itoa(os.Getpid())}
}

// Of a process whose namespace another user may not read, it cannot be told that it is not the recorded one.
func TestNamespaceThatMayNotBeReadIsNeverANo(t *testing.T) {
	p := start(t, "wait", isolated(t, ownProc, self(t).Path))
	inside := p.readSelf(t)
	namespace := strconv.FormatUint(*namespaceOf(t, onlyChild(t, p).PID), 10)
	r := ask(t, "report-nobody", self(t, namespace, itoa(inside.PID)))
	require.False(t, r.Found)
	require.True(t, r.Failed)
}

func TestNamespaceAboveCannotBeSeen(t *testing.T) {
	r := ask(t, "report", isolated(t, ownProc, append([]string{self(t).Path}, whereWeAre()...)...))
	require.True(t, r.SelfExists)
	require.False(t, r.Found)
	require.True(t, r.Unseen)
	require.False(t, r.ScanFailed)
}

func TestProcOfTheNamespaceAbove(t *testing.T) {
	r := ask(t, "report", isolated(t, foreignProc, append([]string{self(t).Path}, whereWeAre()...)...))
	require.Equal(t, 1, r.Self.PID)
	require.True(t, r.SelfExists)
	require.True(t, r.Found, "that /proc shows us, outside, too")
	require.True(t, r.ScanForeign, "its pids are not the ones of our system calls")
}

// behind runs a mount command and then this binary, with mounts of its own.
func behind(t *testing.T, mount string) *exec.Cmd {
	args := append([]string{"sh", "-c", mount + ` && exec "$0" "$@"`, self(t).Path}, whereWeAre()...)
	return isolated(t, ownMounts, args...)
}

func TestUnreadableProcIsNeverANo(t *testing.T) {
	binary := copied(t, "outside-proc")
	args := append([]string{"sh", "-c", `mount -t tmpfs none /proc && exec "$0" "$@"`, binary}, whereWeAre()...)
	r := ask(t, "report", isolated(t, ownMounts, args...))
	require.False(t, r.Found)
	require.True(t, r.Failed)
	require.True(t, r.ScanFailed)
}

func TestHidingProcIsNeverANo(t *testing.T) {
	r := ask(t, "report-nobody", behind(t, "mount -t proc -o hidepid=2 proc /proc"))
	require.True(t, r.SelfExists)
	require.False(t, r.Found)
	require.True(t, r.Hidden)
	require.True(t, r.ScanHidden)
}

func TestHidingProcHidesNothingFromRoot(t *testing.T) {
	r := ask(t, "report", behind(t, "mount -t proc -o hidepid=2 proc /proc"))
	require.True(t, r.Found)
	require.False(t, r.ScanHidden)
}

func TestForbiddenProcIsNeverANo(t *testing.T) {
	r := ask(t, "report-nobody", behind(t, "mount -t proc -o hidepid=1 proc /proc"))
	require.False(t, r.Found)
	require.True(t, r.Failed)
	require.False(t, r.ScanFailed)
	require.NotZero(t, r.EnvironUnreadable)
}

func TestOtherUsersProcessIsSeenButNotLookedInto(t *testing.T) {
	if os.Geteuid() != 0 {
		testkit.Skip(t, "only root can become another user")
	}
	r := ask(t, "report-nobody", self(t, whereWeAre()...))
	require.True(t, r.Found)
	require.False(t, r.Failed)
	require.NotZero(t, r.EnvironUnreadable)
	require.NotZero(t, r.HoldersUnlooked)
}
