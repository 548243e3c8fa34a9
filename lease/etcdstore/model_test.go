package etcdstore

import (
	"fmt"

	"github.com/anishathalye/porcupine"

	"holdfast/ownership"
)

// deed is what happened to a session.
type deed string

const (
	acquired  deed = "acquired"
	orphaned  deed = "orphaned" // acquired without an answer: in force, and nobody's
	released  deed = "released"
	gaveUp    deed = "gave up" // the owner was told by its own clock, or by the cluster
	recovered deed = "recovered"
)

// step is one deed, of the owner that it is about.
type step struct {
	deed       deed
	owner      string
	generation ownership.Generation
}

// held is what a session is.
type held struct {
	active     bool
	owner      string
	generation ownership.Generation
	over       bool // the owner knows that it owns nothing
}

// model is the contract: one owner at a time, who knows that he is none before anybody
// else is let in, and generations that only grow.
var model = porcupine.Model{
	Init: func() any { return held{} },
	Step: func(s, input, _ any) (bool, any) { return next(s.(held), input.(step)) },
	DescribeOperation: func(input, _ any) string {
		return fmt.Sprintf("%+v", input)
	},
}

func next(s held, e step) (bool, held) {
	mine := s.active && s.owner == e.owner
	switch e.deed {
	case acquired, orphaned:
		return !s.active && e.generation == s.generation+1, held{true, e.owner, e.generation, e.deed == orphaned}
	case released:
		return mine && e.generation == s.generation, held{generation: s.generation}
	case gaveUp:
		s.over = s.over || mine
		return true, s
	default:
		return mine && s.over && e.generation == s.generation+1, held{generation: e.generation}
	}
}
