package powerloss

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A command that is linked without the C library starts its threads by the call that
// starts the owned command too, long before it has acquired anything.
func TestAThreadIsNotTheOwnedCommand(t *testing.T) {
	steps := parseSteps(`clone(child_stack=0x14e6ac1f6000, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|CLONE_SETTLS, tls=0x14e6ac20a090) = 3998
fsync(9</a>) = 0
clone(child_stack=NULL, flags=CLONE_VM|CLONE_VFORK|SIGCHLD) = 4015
`)
	require.Equal(t, 2, startOf(steps))
}
