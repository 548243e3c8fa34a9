package ownership_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/ownership"
)

func TestProgramNameFitsARecord(t *testing.T) {
	for name, want := range map[string]string{
		"/usr/bin/claude":        "claude",
		"claude":                 "claude",
		"":                       "unknown",
		"/":                      "unknown",
		"a\x1b[2Jb":              "a\uFFFD[2Jb",
		"a\xffb":                 "a\uFFFDb",
		strings.Repeat("é", 200): strings.Repeat("é", 127),
	} {
		require.Equal(t, want, ownership.ProgramName(name))
	}
}
