package testkit_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/testkit"
)

func TestALongRunAndWhoeverNamesAPlaceStayOnTheDisk(t *testing.T) {
	t.Setenv("TMPDIR", "")
	t.Setenv(testkit.LongVariable, "1")
	testkit.InMemory()
	require.Empty(t, os.Getenv("TMPDIR"))

	t.Setenv(testkit.LongVariable, "")
	t.Setenv("TMPDIR", "/var/tmp")
	testkit.InMemory()
	require.Equal(t, "/var/tmp", os.Getenv("TMPDIR"))
}
