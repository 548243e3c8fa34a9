package ownership

import "encoding/hex"

// OperationID names one attempt to acquire: 128 random bits, fresh per attempt, so
// that no two records ever have the same bytes.
type OperationID [16]byte

// String returns 32 lowercase hex digits.
func (id OperationID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText returns 32 lowercase hex digits.
func (id OperationID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText accepts what MarshalText returns and nothing else.
func (id *OperationID) UnmarshalText(b []byte) error { return parseHex(id[:], string(b)) }
