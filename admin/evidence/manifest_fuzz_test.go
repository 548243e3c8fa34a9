package evidence

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever is taken for a manifest is written again as the same bytes, and names
// nothing outside. The rest of the seeds is committed beside it.
func FuzzManifest(f *testing.F) {
	sum := strings.Repeat("0a", hashDigits/2)
	f.Add([]byte(sum + "  a\n" + sum + "  git/index\n"))
	f.Add([]byte(sum + "  a\r\n"))
	f.Add([]byte(sum + "  ../a\n"))
	f.Add([]byte(sum + "  b\n" + sum + "  a\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, err := parseManifest(b)
		if err != nil {
			return
		}
		var again strings.Builder
		for _, e := range all {
			require.False(t, strings.HasPrefix(e.name, "/") || strings.HasPrefix(e.name, "../"))
			fmt.Fprintf(&again, "%s  %s\n", e.sha256, e.name)
		}
		require.Equal(t, string(b), again.String())
	})
}
