package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrongVerdictUsage is command lines, and what each message must name.
var wrongVerdictUsage = []struct{ args, names string }{
	{"verdict", "set, show, clear, settle, prune"},
	{"verdict bogus", `"bogus"`},
	{"verdict --bogus", "--bogus"},
	{"verdict set", "KEY"},
	{"verdict set K", "--outcome"},
	{"verdict set K --outcome done", "--source"},
	{"verdict set K --source verify", "--outcome"},
	{"verdict set K --outcome", "--outcome"},
	{"verdict set K --outcome <empty> --source verify", "--outcome"},
	{"verdict set K --outcome DONE --source verify", `"DONE"`},
	{"verdict set K --outcome requeued --source verify", `"requeued"`},
	{"verdict set K --outcome done --source oracle", `"oracle"`},
	{"verdict set K --outcome done --source <empty>", "--source"},
	{"verdict set K --outcome done --source verify --outcome failed", "--outcome"},
	{"verdict set K --outcome done --source verify --reason " + strings.Repeat("r", 4097), "--reason"},
	{"verdict set K --outcome done --source verify --reason a\xffb", "--reason"},
	{"verdict set K --outcome done --source verify --generation 0", "--generation"},
	{"verdict set K --outcome done --source verify --generation <empty>", "--generation"},
	{"verdict set K --outcome done --source verify --generation 9007199254740992", "--generation"},
	{"verdict set K --outcome done --source verify --id <empty>", "--id"},
	{"verdict set K --outcome done --source verify --id abc", "--id"},
	{"verdict set K --outcome done --source verify --id " + strings.Repeat("A", 32), "--id"},
	{"verdict set K L --outcome done --source verify", `"L"`},
	{"verdict set <empty> --outcome done --source verify", "key"},
	{"verdict set K --digest " + someHash + " --outcome done --source verify", `"K"`},
	{"verdict set K --outcome done --source verify --bogus", "--bogus"},
	{"verdict show", "KEY"},
	{"verdict show K L", `"L"`},
	{"verdict show --digest abc", "--digest"},
	{"verdict clear", "KEY"},
	{"verdict clear K L", `"L"`},
	{"verdict settle", "KEY"},
	{"verdict settle K L", `"L"`},
	{"verdict settle K --transcript", "--transcript"},
	{"verdict settle K --transcript <empty>", "--transcript"},
	{"verdict settle " + strings.Repeat("k", 513), "513"},
	{"verdict prune", "--before"},
	{"verdict prune K --before 1h", `"K"`},
	{"verdict prune --before", "--before"},
	{"verdict prune --before <empty>", "--before"},
	{"verdict prune --before yesterday", "--before"},
	{"verdict prune --before -1h", "--before"},
	{"verdict prune --before 1h --before 2h", "--before"},
	{"verdict prune --before 1h --dry-run=maybe", "--dry-run"},
}

func TestWrongVerdictUsage(t *testing.T) {
	for _, c := range wrongVerdictUsage {
		t.Run(c.args, func(t *testing.T) {
			home := t.TempDir()
			r := inProcess(t, home, append([]string{"--json"}, words(c.args)...)...)
			require.Equal(t, 64, r.code, r.stderr)
			require.Empty(t, r.stderr)
			var told refusal
			require.NoError(t, json.Unmarshal([]byte(r.stdout), &told))
			require.EqualValues(t, "usage", told.Reason)
			require.Contains(t, told.Message, c.names)
			require.Len(t, told.Next, 1)
			help := told.Next[0].Argv
			require.Zero(t, inProcess(t, home, help[1:]...).code, "%q can be typed", help)
			requireEmpty(t, home)
		})
	}
}

// Help is that of the very command, before and behind an argument.
func TestVerdictHelp(t *testing.T) {
	for _, args := range []string{"verdict set --help", "verdict set K --help", "verdict set --help K"} {
		r := session(t, t.TempDir(), words(args)...)
		require.Zero(t, r.code)
		require.Contains(t, r.stdout, "session verdict set")
		require.Contains(t, r.stdout, "review_gate")
	}
	r := session(t, t.TempDir(), "verdict", "--help")
	require.Zero(t, r.code)
	require.Contains(t, r.stdout, "settle")
}

// A key that is a word of the command is just a key.
func TestVerdictKeysThatLookLikeWords(t *testing.T) {
	for _, key := range []string{"help", "h", "set", "show", "prune", " x ", "../x"} {
		r := session(t, t.TempDir(), "--json", "verdict", "show", "--", key)
		require.Zero(t, r.code, r.stdout)
		var shown struct{ Key string }
		require.NoError(t, json.Unmarshal([]byte(r.stdout), &shown))
		require.Equal(t, key, shown.Key)
	}
}
