package tail_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/tail"
)

func TestTail(t *testing.T) {
	kept := tail.Of(4)
	for _, step := range []struct{ write, want string }{
		{"", ""}, {"ab", "ab"}, {"cd", "abcd"}, {"e", "bcde"}, {"fghijk", "hijk"},
	} {
		n, err := kept.Write([]byte(step.write))
		require.NoError(t, err)
		require.Equal(t, len(step.write), n)
		require.Equal(t, step.want, kept.String())
	}
}
