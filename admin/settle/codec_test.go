package settle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"holdfast/admin/settle"
	"holdfast/lease"
	"holdfast/ownership"
)

// stored is a verdict as a store keeps it.
func stored(t testing.TB) string {
	t.Helper()
	b, err := settle.Encode(*verdict(settle.DecisionDone, "all <tests> pass"))
	require.NoError(t, err)
	return string(b)
}

func TestAVerdictIsReadBack(t *testing.T) {
	for _, d := range settle.Decisions {
		for _, s := range settle.Sources {
			v := *verdict(d, "é\n\x1b[1m\u2028")
			v.Source = s
			b, err := settle.Encode(v)
			require.NoError(t, err)
			again, err := settle.Decode(b)
			require.NoError(t, err)
			require.Equal(t, v, again)
		}
	}
}

// What is not known is passed over: a verdict is evidence (I12).
func TestUnknownMembersAreTolerated(t *testing.T) {
	s := stored(t)
	more := strings.Replace(s, "{", `{"commit": {"a": [1, 2, {"outcome": "failed"}]}, "Outcome": "failed", "note": null,`, 1)
	v, err := settle.Decode([]byte(more))
	require.NoError(t, err)
	require.Equal(t, settle.DecisionDone, v.Outcome, "a member in another case is another member")
	v, err = settle.Decode([]byte(strings.Replace(s, `"reason": "all <tests> pass",`, "", 1)))
	require.NoError(t, err)
	require.Empty(t, v.Reason)
}

func TestALongReasonIsCut(t *testing.T) {
	long := strings.Replace(stored(t), "all <tests> pass", "x"+strings.Repeat("日", 50000), 1)
	v, err := settle.Decode([]byte(long))
	require.NoError(t, err)
	require.Len(t, v.Reason, settle.MaxReasonSize)
	require.True(t, utf8.ValidString(v.Reason))
}

func TestWhatIsNoVerdict(t *testing.T) {
	s := stored(t)
	replaced := func(old, with string) string {
		require.Contains(t, s, old)
		return strings.Replace(s, old, with, 1)
	}
	digest := strings.Repeat("0", 62)
	for name, text := range map[string]string{
		"empty":                 "",
		"blank":                 " \n",
		"NUL":                   strings.Repeat("\x00", 300),
		"null":                  "null",
		"array":                 "[" + s + "]",
		"string":                `"done"`,
		"half":                  s[:len(s)/2],
		"all but the last byte": strings.TrimSpace(s)[:len(strings.TrimSpace(s))-1],
		"two":                   s + s,
		"followed":              s + "x",
		"BOM":                   "\ufeff" + s,
		"not UTF-8":             replaced("all", "\xff"),
		"comment":               "// a verdict\n" + s,
		"trailing comma":        strings.TrimSuffix(strings.TrimSpace(s), "}") + ",}",
		"deep":                  replaced("{", `{"x":`+strings.Repeat("[", 100000)),
		"member twice":          replaced("{", `{"outcome": "failed",`),
		"unknown member twice":  replaced("{", `{"x": 1, "x": 2,`),
		"missing":               replaced(`"outcome"`, `"outcomes"`),
		"other case":            replaced(`"outcome"`, `"Outcome"`),
		"null outcome":          replaced(`"done"`, "null"),
		"null time":             replaced(`"2026-11-29T14:40:02.117Z"`, "null"),
		"other outcome":         replaced(`"done"`, `"DONE"`),
		"other source":          replaced(`"review_gate"`, `"oracle"`),
		"empty source":          replaced(`"review_gate"`, `""`),
		"number as outcome":     replaced(`"done"`, "1"),
		"float generation":      replaced("7,", "7.5,"),
		"negative generation":   replaced("7,", "-7,"),
		"zero generation":       replaced("7,", "0,"),
		"generation too large":  replaced("7,", fmt.Sprint(uint64(ownership.MaxGeneration)+1)+","),
		"string generation":     replaced("7,", `"7",`),
		"null generation":       replaced("7,", "null,"),
		"short digest":          replaced("09"+digest, "09"),
		"upper-case id":         replaced(`"01000000000000000000000000000000"`, `"0A000000000000000000000000000000"`),
		"time with an offset":   replaced("117Z", "117+00:00"),
		"time without decimals": replaced(".117Z", "Z"),
		"too large":             s + strings.Repeat(" ", lease.MaxVerdictSize),
	} {
		t.Run(name, func(t *testing.T) {
			v, err := settle.Decode([]byte(text))
			var format *settle.FormatError
			require.ErrorAs(t, err, &format)
			require.Zero(t, v)
		})
	}
}

func TestTheSizeLimitIsExact(t *testing.T) {
	s := stored(t)
	full := s + strings.Repeat(" ", lease.MaxVerdictSize-len(s))
	_, err := settle.Decode([]byte(full))
	require.NoError(t, err)
	_, err = settle.Decode([]byte(full + " "))
	require.Error(t, err)
	v := verdict(settle.DecisionDone, strings.Repeat("\x01", settle.MaxReasonSize))
	b, err := settle.Encode(*v)
	require.NoError(t, err)
	require.Less(t, len(b), lease.MaxVerdictSize, "whatever is set can be stored")
}

func TestEncodeRefusesWhatItWouldNotRead(t *testing.T) {
	for name, change := range map[string]func(*settle.Verdict){
		"generation": func(v *settle.Verdict) { v.Generation = 0 },
		"outcome":    func(v *settle.Verdict) { v.Outcome = "" },
		"source":     func(v *settle.Verdict) { v.Source = "x" },
		"reason":     func(v *settle.Verdict) { v.Reason = strings.Repeat("x", settle.MaxReasonSize+1) },
	} {
		v := verdict(settle.DecisionDone, "")
		change(v)
		_, err := settle.Encode(*v)
		var field *ownership.FieldError
		require.ErrorAs(t, err, &field)
		require.Equal(t, name, field.Field)
	}
}

// Whatever is accepted is written and read back as the same verdict, has one meaning
// to every reader of JSON, and nothing panics. The seeds are committed beside it.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(stored(f)))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := settle.Decode(b)
		if err != nil {
			var format *settle.FormatError
			require.ErrorAs(t, err, &format)
			require.Zero(t, v)
			return
		}
		encoded, err := settle.Encode(v)
		require.NoError(t, err)
		again, err := settle.Decode(encoded)
		require.NoError(t, err)
		require.Equal(t, v, again)
		var all map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(b, &all))
		require.JSONEq(t, `"`+string(v.Outcome)+`"`, string(all["outcome"]))
	})
}
