package ownership

import (
	"fmt"
	"time"
)

const timestampLayout = "2006-01-02T15:04:05.000Z"

// Timestamp is an instant in UTC with a resolution of one millisecond. No decision
// rests on one: clocks are set back.
type Timestamp struct{ t time.Time }

// At returns t as a timestamp, cut to its millisecond.
func At(t time.Time) Timestamp { return Timestamp{t.UTC().Truncate(time.Millisecond)} }

// Time returns the instant in UTC.
func (ts Timestamp) Time() time.Time { return ts.t }

// String returns the one form that records use, with exactly three decimals.
func (ts Timestamp) String() string { return ts.t.UTC().Format(timestampLayout) }

// MarshalText returns the form of String, or an error for a year beyond 0 to 9999.
func (ts Timestamp) MarshalText() ([]byte, error) {
	if y := ts.t.UTC().Year(); y < 0 || y > 9999 {
		return nil, fmt.Errorf("year %d is out of range", y)
	}
	return []byte(ts.String()), nil
}

// UnmarshalText accepts what MarshalText returns and nothing else.
func (ts *Timestamp) UnmarshalText(b []byte) error {
	t, err := time.Parse(timestampLayout, string(b))
	if err != nil {
		return fmt.Errorf("want a time like %s", timestampLayout)
	}
	*ts = Timestamp{t.UTC()}
	return nil
}
