package tmux

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{"web-42", "a.b", "c:d", `e\f`, "-x", "ü é 漢", "sp ace", "=q", "$", "@", "%", "$3x", "$-1", "3", "x$3", "*"} {
		require.NoError(t, CheckName(name), "%q", name)
	}
	for _, name := range []string{"", "a\nb", "\x1b[2J", "a\x00b", "\x7f", "a\u0085b", "\xff", "a\xc3", "$0", "$3", "@1", "%5", "$12345678901234567890"} {
		require.Error(t, CheckName(name), "%q", name)
	}
}
