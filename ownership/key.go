package ownership

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"lukechampine.com/blake3"
)

// MaxKeySize is the largest size of a key in bytes.
const MaxKeySize = 512

// Key is the string that a host chose for a session: 1 to [MaxKeySize] bytes of
// UTF-8 without control characters, compared byte for byte. "../x" is just a key.
// Only [ParseKey] makes one, so a Key in hand is valid.
type Key struct{ name string }

// KeyError is returned for a string that cannot be a key.
type KeyError struct {
	Key string
	Why string
}

func (e *KeyError) Error() string {
	return fmt.Sprintf("key %.80q %s: a key is 1 to %d bytes of UTF-8 without control characters", e.Key, e.Why, MaxKeySize)
}

// ParseKey checks s and returns it as a key, or a [*KeyError].
func ParseKey(s string) (Key, error) {
	switch {
	case s == "":
		return Key{}, &KeyError{s, "is empty"}
	case len(s) > MaxKeySize:
		return Key{}, &KeyError{s, fmt.Sprintf("has %d bytes", len(s))}
	case !utf8.ValidString(s):
		return Key{}, &KeyError{s, "is not UTF-8"}
	case hasControl(s):
		return Key{}, &KeyError{s, "has a control character"}
	}
	return Key{s}, nil
}

// String returns the key as the host wrote it.
func (k Key) String() string { return k.name }

// Digest returns the BLAKE3-256 hash of the key's bytes.
func (k Key) Digest() Digest { return blake3.Sum256([]byte(k.name)) }

func hasControl(s string) bool {
	for _, r := range s {
		if unicode.IsControl(r) {
			return true
		}
	}
	return false
}
