package admin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// rowMembers are the members of a row that count, as they are written there. Of several
// with one name it is the last, as for every reader of JSON.
type rowMembers struct{ key, keyDigest, revision json.RawMessage }

// membersOf looks through an object for them, in place: a row is a whole record and some,
// and taking all of it apart took longer than all else that is done with a row before its
// session is looked at.
func membersOf(b []byte) (m rowMembers, err error) {
	rest := bytes.TrimLeft(b, blanks)
	if len(rest) == 0 || rest[0] != '{' || !json.Valid(b) {
		var object map[string]json.RawMessage // null is an empty one
		err := json.Unmarshal(b, &object)
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) {
			return m, fmt.Errorf("it is JSON of another kind (%s)", other.Value)
		}
		return m, err
	}
	for rest = rest[1:]; ; rest = rest[1:] { // behind the brace, or a comma
		rest = bytes.TrimLeft(rest, blanks)
		if rest[0] == '}' {
			return m, nil
		}
		name := stringAt(rest)
		rest = bytes.TrimLeft(rest[len(name):], blanks)
		rest = bytes.TrimLeft(rest[1:], blanks) // behind the colon
		value := valueAt(rest)
		m.set(name, value)
		rest = bytes.TrimLeft(rest[len(value):], blanks)
		if rest[0] == '}' {
			return m, nil
		}
	}
}

const blanks = " \t\r\n"

func (m *rowMembers) set(name, value []byte) {
	if bytes.IndexByte(name, '\\') >= 0 {
		var plain string
		_ = json.Unmarshal(name, &plain) // it is valid
		name, _ = json.Marshal(plain)
	}
	switch string(name) {
	case `"key"`:
		m.key = value
	case `"keyDigest"`:
		m.keyDigest = value
	case `"revision"`:
		m.revision = value
	}
}

// stringAt returns the string that valid JSON begins with.
func stringAt(b []byte) []byte {
	for n := 1; ; n++ {
		switch b[n] {
		case '\\':
			n++
		case '"':
			return b[:n+1]
		}
	}
}

// valueAt returns the value that valid JSON begins with, where something follows.
func valueAt(b []byte) []byte {
	switch b[0] {
	case '"':
		return stringAt(b)
	case '{', '[':
		return nestedAt(b)
	}
	return b[:bytes.IndexAny(b, ",}]"+blanks)]
}

// nestedAt returns the object or array that valid JSON begins with.
func nestedAt(b []byte) []byte {
	depth := 0
	for n := 0; ; n++ {
		switch b[n] {
		case '"':
			n += len(stringAt(b[n:])) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return b[:n+1]
			}
		}
	}
}
