package settle_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/admin/settle"
)

func TestSignalsIn(t *testing.T) {
	for text, want := range map[string][]settle.Signal{
		"":                                       nil,
		"\n":                                     nil,
		"TASK_DONE":                              {done},
		"TASK_DONE\n":                            {done},
		"TASK_DONE\r\n":                          {done},
		"  TASK_DONE \t\n":                       {done},
		"\x1b[1;32mTASK_DONE\x1b[0m\r\n":         {done},
		"work\nTASK_FAILED\nbye\n":               {failed},
		"TASK_SKIPPED\n1\n2\n3\n4\n":             {skipped},
		"TASK_SKIPPED\n1\n2\n3\n4\n5\n":          nil,
		"TASK_DONE\n\n\n\n\n":                    {done},
		"TASK_DONE\n\n\n\n\n\n":                  nil,
		"TASK_DONE\nTASK_FAILED\n":               {done, failed},
		"TASK_DONE\nTASK_DONE\n":                 {done},
		"TASK_DONE\n1\n2\n3\n4\nTASK_FAILED\n":   {failed},
		"I shall say TASK_DONE when I am done\n": nil,
		"TASK_DONE.\n":                           nil,
		"task_done\n":                            nil,
		"`TASK_DONE`\n":                          nil,
		"TASK_DONE TASK_DONE\n":                  nil,
		"TASK_DONE_NOT\n":                        nil,
		"TASK_DO\nNE\n":                          nil,
		"\xff\xfeTASK_DONE\n":                    nil,
		"\xff\xff\nTASK_DONE\n\xc3\n":            {done},
		"\x00TASK_DONE\x00\n":                    nil,
		"TASK_DONE\rTASK_FAILED\n":               nil,
	} {
		require.Equal(t, want, settle.SignalsIn([]byte(text)), "%q", text)
	}
	require.Nil(t, settle.SignalsIn([]byte(strings.Repeat("\n", 1<<16))))
}

// Every short line of what colours are made of, around a signal, counts as it does with the
// expression that says what a colour is.
func TestColoursDoNotCount(t *testing.T) {
	colour := regexp.MustCompile(`\x1b\[[0-9;:]*m`)
	const length = 6
	alphabet := []string{"", "\x1b", "[", "1;:", "m"}
	all := 1
	for range length {
		all *= len(alphabet)
	}
	for n := range all {
		var line strings.Builder
		for range length {
			line.WriteString(alphabet[n%len(alphabet)])
			n /= len(alphabet)
		}
		for _, text := range []string{line.String() + "TASK_DONE", "TASK_" + line.String() + "DONE" + line.String()} {
			alone := strings.TrimSpace(colour.ReplaceAllString(text, "")) == "TASK_DONE"
			if alone != (len(settle.SignalsIn([]byte(text))) == 1) {
				require.Equal(t, alone, !alone, "%q", text)
			}
		}
	}
}
