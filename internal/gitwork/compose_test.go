package gitwork_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/gitwork"
	"holdfast/internal/testkit"
)

// Many loose objects are packed without git, and nothing else is different; not every kind, unless in a long run.
func TestEveryKindComposed(t *testing.T) {
	git := needGit(t)
	t.Cleanup(gitwork.ComposeFrom(0)) // after the kinds, which are parallel
	composed := 0
	t.Run("kinds", func(t *testing.T) {
		for n, k := range readKinds(t) {
			if n%testkit.Rounds(35, 1) != 0 {
				continue
			}
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				c := caseOf(t, git, k)
				before := fingerprint(t, c.dir)
				c.capture(t)
				require.Equal(t, before, fingerprint(t, c.dir), "the source was touched")
				require.Empty(t, marks(t, c.dir), "a program of the source's was started")
				c.restore(t)
				c.controls(t)
			})
			composed++
		}
	})
	require.NotZero(t, composed)
}
