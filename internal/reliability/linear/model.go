package linear

import (
	"fmt"

	"github.com/anishathalye/porcupine"
)

// deed is what a client did.
type deed string

const (
	acquired  deed = "acquired"  // and was told generation and revision, or died first
	released  deed = "released"  //
	killed    deed = "killed"    // by us: it may be dead from now on
	ended     deed = "ended"     // nothing of it is left
	recovered deed = "recovered" // another one
	replayed  deed = "replayed"  // the same receipt again
	saw       deed = "saw"       // a state, in an answer or a refusal
	stale     deed = "stale"     // was refused since another revision is in force
)

// event is one thing that a client did, or saw.
type event struct {
	deed       deed
	owner      string // whose acquisition it is about
	generation uint64
	revision   string // in force afterwards, or seen
	expect     string // of a recovery
	state      string // seen
}

// state is what a session is.
type state struct {
	active     bool
	owner      string
	generation uint64
	revision   string
	from       string // the revision that a forced recovery displaced
	dying      bool   // the owner was killed
	dead       bool   // nothing of it is left
}

// model is the contract, one session at a time.
var model = porcupine.Model{
	Init: func() any { return state{} },
	Step: func(s, input, _ any) (bool, any) { return step(s.(state), input.(event)) },
	DescribeOperation: func(input, _ any) string {
		return fmt.Sprintf("%+v", input)
	},
}

func step(s state, e event) (bool, state) {
	mine := s.active && s.owner == e.owner
	switch e.deed {
	case acquired:
		next := state{active: true, owner: e.owner, generation: e.generation, revision: e.revision}
		return !s.active && e.generation == s.generation+1, next
	case released:
		return mine && !s.dead, state{generation: s.generation, revision: e.revision}
	case killed:
		s.dying = s.dying || mine
		return true, s
	case ended:
		s.dead = s.dead || mine
		return !mine || s.dying, s
	case recovered:
		next := state{generation: s.generation + 1, revision: e.revision, from: e.expect}
		return s.active && s.dead && s.revision == e.expect && e.generation == s.generation+1, next
	case replayed:
		return !s.active && s.from == e.expect && s.revision == e.revision, s
	case stale:
		return s.revision != e.expect, s
	default:
		return s.looks(e), s
	}
}

// looks reports whether a session may look as it did. Somebody who dies is held, then
// perhaps unproven while the kernel clears away, then stranded.
func (s state) looks(e event) bool {
	same := e.revision == s.revision
	switch e.state {
	case "vacant":
		return s.revision == ""
	case "idle":
		return !s.active && same
	case "held":
		return s.active && same
	case "unproven":
		return s.active && s.dying && same
	case "stranded":
		return s.active && s.dead && same
	}
	return false
}
