package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"holdfast/ownership"
)

// MaxSize is the largest size of an encoded plan in bytes.
const MaxSize = 1 << 20

// Gate says what approving an item means.
type Gate string

// What is written can be taken back by the rollback of its steps; what is irreversible cannot.
const (
	Write        Gate = "write"
	Irreversible Gate = "irreversible"
)

// Plan is what is proposed for one revision of a session. The order of its members is the order of its encoding.
type Plan struct {
	MadeAt     ownership.Timestamp   `json:"madeAt"`
	Actor      string                `json:"actor"`
	Store      string                `json:"store"`
	Key        *string               `json:"key"` // nil where only the digest is known
	KeyDigest  ownership.Digest      `json:"keyDigest"`
	State      ownership.State       `json:"state"`
	Class      *string               `json:"class"`
	Revision   ownership.Revision    `json:"revision"`
	Generation *ownership.Generation `json:"generation"` // nil where the record is unreadable
	Snapshot   *Snapshot             `json:"snapshot"`   // nil where nothing was kept
	Items      []Item                `json:"items"`      // in the order in which they are done
	Withheld   []Withheld            `json:"withheld"`
}

// Snapshot is the evidence that a plan rests on.
type Snapshot struct {
	Dir             string   `json:"dir"`
	Manifest        string   `json:"manifest"` // SHA-256 of its manifest
	Seen            string   `json:"seen"`     // fingerprint of the sources when it was taken
	IncludesIgnored bool     `json:"includesIgnored"`
	LeavesOut       []string `json:"leavesOut"` // what is not, or not surely, in it
}

// Item is one proposed change.
type Item struct {
	ID      string              `json:"id"`
	Gate    Gate                `json:"gate"`
	Why     string              `json:"why"`
	Steps   []Step              `json:"steps"`
	Targets []ownership.Process `json:"targets"` // which it stops
}

// Step is one command of an item, as a person would type it.
type Step struct {
	Argv     []string `json:"argv"`
	Rollback Rollback `json:"rollback"`
}

// Rollback takes a step back.
type Rollback struct {
	Argv []string `json:"argv"` // empty where no command does
	Why  string   `json:"why"`
}

// Withheld is an item that is not proposed.
type Withheld struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// ErrNotPlan is returned for bytes that are no plan.
var ErrNotPlan = errors.New("this is no plan that was made here")

// Encode returns the one encoding of a plan.
func (p Plan) Encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(p)
	return b.Bytes(), err
}

// Decode reads an encoded plan strictly (I12): other bytes than [Plan.Encode] writes are an error that wraps ErrNotPlan.
func Decode(b []byte) (Plan, error) {
	var p Plan
	if len(b) > MaxSize {
		return p, fmt.Errorf("%w: it has more than %d bytes", ErrNotPlan, MaxSize)
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return p, fmt.Errorf("%w: %v", ErrNotPlan, err)
	}
	again, err := p.Encode()
	if err != nil || !bytes.Equal(again, b) {
		return p, fmt.Errorf("%w: it was changed, or cut off", ErrNotPlan)
	}
	return p, nil
}

// Item returns the item of an id.
func (p Plan) Item(id string) (Item, bool) {
	for _, i := range p.Items {
		if i.ID == id {
			return i, true
		}
	}
	return Item{}, false
}
