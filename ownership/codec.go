package ownership

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// MaxRecordSize is the largest size of an encoded record in bytes.
const MaxRecordSize = 64 << 10

// FormatError is returned by [Decode] for bytes that are not a record.
type FormatError struct{ Why string }

func (e *FormatError) Error() string { return "not a record: " + e.Why }

// Encode returns the one valid encoding of r (I1), or a [*FieldError] when r breaks
// a rule of the record.
func Encode(r Record) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	b, err := encode(r)
	if err != nil {
		return nil, err
	}
	if len(b) > MaxRecordSize {
		return nil, &FieldError{"record", fmt.Sprintf("has %d bytes, more than %d", len(b), MaxRecordSize)}
	}
	return b, nil
}

func encode(r Record) ([]byte, error) {
	if b, ok := encodePlain(r); ok {
		return b, nil
	}
	return encodeAny(r)
}

// encodeAny writes every record.
func encodeAny(r Record) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(r)
	return b.Bytes(), err
}

// Decode returns the record whose encoding is exactly b, or a [*FormatError].
//
// It decodes, validates and encodes again, and accepts b only if the bytes are the
// same (I1). That one rule turns away unknown, duplicate, missing, reordered,
// re-cased and re-spelled members, trailing data and byte order marks.
func Decode(b []byte) (Record, error) {
	switch {
	case len(b) == 0:
		return Record{}, &FormatError{"it is empty"}
	case len(b) > MaxRecordSize:
		return Record{}, &FormatError{fmt.Sprintf("it is larger than %d bytes", MaxRecordSize)}
	}
	if r, ok := decodePlain(b); ok && r.Validate() == nil {
		return r, nil
	}
	return decodeAny(b)
}

// decodeAny takes every record, and knows what is wrong with everything else.
func decodeAny(b []byte) (r Record, err error) {
	if err := json.Unmarshal(b, &r); err != nil {
		return Record{}, &FormatError{err.Error()}
	}
	if err := r.Validate(); err != nil {
		return Record{}, &FormatError{err.Error()}
	}
	again, err := encodeAny(r)
	if err != nil {
		return Record{}, &FormatError{err.Error()}
	}
	if !bytes.Equal(b, again) {
		return Record{}, &FormatError{fmt.Sprintf("it differs from its one valid encoding at byte %d", firstDifference(b, again))}
	}
	return r, nil
}

func firstDifference(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
