package settle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"holdfast/lease"
)

// FormatError is returned by [Decode] for bytes that are no verdict.
type FormatError struct{ Why string }

func (e *FormatError) Error() string { return "not a verdict: " + e.Why }

// Encode returns v as it is stored, or an [*ownership.FieldError] when v breaks a rule.
func Encode(v Verdict) ([]byte, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), err
}

// Decode reads a verdict, or returns a [*FormatError]. It wants one JSON object of at
// most [lease.MaxVerdictSize] bytes of UTF-8 with every member spelled exactly and none
// twice; members that it does not know are passed over, a reason that is missing is
// empty, and one that is too long is cut.
func Decode(b []byte) (Verdict, error) {
	v, err := decode(b)
	if err != nil {
		return Verdict{}, &FormatError{err.Error()}
	}
	return v, nil
}

func decode(b []byte) (v Verdict, err error) {
	all, err := members(b)
	if err != nil {
		return v, err
	}
	for _, m := range []struct {
		name string
		into any
	}{
		{"keyDigest", &v.KeyDigest}, {"generation", &v.Generation}, {"id", &v.ID},
		{"outcome", &v.Outcome}, {"source", &v.Source}, {"reason", &v.Reason}, {"writtenAt", &v.WrittenAt},
	} {
		if err := member(all, m.name, m.into); err != nil {
			return v, err
		}
	}
	v.Reason = Cut(v.Reason, MaxReasonSize)
	return v, v.check()
}

// member reads one member. A reason can be left out.
func member(all map[string]json.RawMessage, name string, into any) error {
	value, ok := all[name]
	switch {
	case (!ok || string(value) == "null") && name == "reason":
		return nil
	case !ok || string(value) == "null":
		return fmt.Errorf("%s is missing", name)
	}
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// members takes one JSON object apart. Package json alone would accept a member in
// another case, or twice, and two readers could then see two verdicts.
func members(b []byte) (map[string]json.RawMessage, error) {
	switch {
	case len(b) > lease.MaxVerdictSize:
		return nil, fmt.Errorf("it is larger than %d bytes", lease.MaxVerdictSize)
	case !utf8.Valid(b):
		return nil, fmt.Errorf("it is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fmt.Errorf("it is no JSON object")
	}
	all := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		key := name.(string)
		if _, twice := all[key]; twice {
			return nil, fmt.Errorf("member %.80q is there twice", key)
		}
		all[key] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("it is not complete")
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows it")
	}
	return all, nil
}
