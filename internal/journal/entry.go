package journal

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"time"

	"go.etcd.io/bbolt"

	"holdfast/ownership"
)

// The buckets. Keys are fixed-size numbers in big-endian order, so that the order of
// bytes is the order of history:
//
//	records  digest generation sequence   → at revision previous, then the record's bytes
//	strays   digest generation revision   → likewise
//	events   digest at sequence           → the event in JSON
//	times    at, 'r' or 'e', then the key of the record or event → nothing
var (
	recordsBucket = []byte("records")
	straysBucket  = []byte("strays")
	eventsBucket  = []byte("events")
	timesBucket   = []byte("times")
)

const (
	hashSize   = ownership.HashSize
	numberSize = 8
	recordKey  = hashSize + 2*numberSize
	headerSize = numberSize + 2*hashSize
	// maxValue bounds what is copied out of a file that may be damaged.
	maxValue = headerSize + ownership.MaxRecordSize
)

// Record is a published record of a session.
type Record struct {
	Digest     ownership.Digest
	Generation ownership.Generation
	Previous   ownership.Revision // zero: it is the first
	Revision   ownership.Revision // of Bytes
	At         ownership.Timestamp
	Bytes      []byte

	// Loose is set where no chain of the current record leads to it, for Append: it is a
	// stray if another record with the same predecessor is known.
	Loose bool
}

// Event is what an administrator did.
type Event struct {
	At               ownership.Timestamp   `json:"at"`
	Event            string                `json:"event"` // what: recover, quarantine, prune and the like
	Key              *string               `json:"key"`
	KeyDigest        *ownership.Digest     `json:"keyDigest"` // nil: it was about the whole store
	Generation       *ownership.Generation `json:"generation"`
	Revision         *ownership.Revision   `json:"revision"`         // what was published
	PreviousRevision *ownership.Revision   `json:"previousRevision"` // what it displaced
	Actor            string                `json:"actor"`
	Reason           string                `json:"reason"`

	Settled *Settled `json:"settled,omitempty"` // by a recovery; nil: nothing was
}

// Settled is what a displaced execution achieved, as far as it was settled.
type Settled struct {
	Outcome     ownership.Outcome    `json:"outcome"`
	DecidedBy   string               `json:"decidedBy"`
	Source      *string              `json:"source"`
	Reason      string               `json:"reason"`
	CompletedAt *ownership.Timestamp `json:"completedAt"`
	Notes       []string             `json:"notes"`
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// instant orders times before 1970 before those after.
func instant(t ownership.Timestamp) []byte {
	return number(uint64(t.Time().UnixMilli()) ^ 1<<63)
}

func instantOf(b []byte) ownership.Timestamp {
	return ownership.At(time.UnixMilli(int64(binary.BigEndian.Uint64(b) ^ 1<<63)))
}

func placeOf(d ownership.Digest, g ownership.Generation, sequence uint64) []byte {
	return join(d[:], number(uint64(g)), number(sequence))
}

func join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

func (r Record) value() []byte {
	return join(instant(r.At), r.Revision[:], r.Previous[:], r.Bytes)
}

// parseRecord copies an entry. The bytes may be others than the revision says: the
// caller shows that as what it is.
func parseRecord(key, value []byte) (Record, error) {
	if len(key) < recordKey || len(value) < headerSize || len(value) > maxValue {
		return Record{}, damaged("an entry of %d and %d bytes is no record", len(key), len(value))
	}
	r := Record{
		Digest:     ownership.Digest(key[:hashSize]),
		Generation: ownership.Generation(binary.BigEndian.Uint64(key[hashSize:])),
		At:         instantOf(value),
		Revision:   revisionIn(value),
		Previous:   previousIn(value),
		Bytes:      append([]byte(nil), value[headerSize:]...),
	}
	return r, nil
}

func revisionIn(value []byte) ownership.Revision {
	return ownership.Revision(value[numberSize : numberSize+hashSize])
}

func previousIn(value []byte) ownership.Revision {
	return ownership.Revision(value[numberSize+hashSize : headerSize])
}

// encode returns the value of an event, and how its key begins: of those of one
// session and moment each has the next number.
func (e Event) encode() (prefix, value []byte, err error) {
	if value, err = json.Marshal(e); err != nil {
		return nil, nil, err
	}
	var d ownership.Digest
	if e.KeyDigest != nil {
		d = *e.KeyDigest
	}
	return join(d[:], instant(e.At)), value, nil
}

// eventKey returns the key of an event that is there, or is to be: the same content is
// one entry, and what came later in one moment stands behind what came before.
func eventKey(events *bbolt.Bucket, prefix, value []byte) (key []byte, there bool) {
	next := uint64(0)
	c := events.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if bytes.Equal(v, value) {
			return bytes.Clone(k), true
		}
		if len(k) == len(prefix)+numberSize {
			next = binary.BigEndian.Uint64(k[len(prefix):]) + 1
		}
	}
	return join(prefix, number(next)), false
}

func parseEvent(value []byte) (Event, error) {
	var e Event
	if len(value) > maxValue {
		return e, damaged("an entry of %d bytes is no event", len(value))
	}
	if err := json.Unmarshal(value, &e); err != nil {
		return e, damaged("an entry is no event: %v", err)
	}
	return e, nil
}
