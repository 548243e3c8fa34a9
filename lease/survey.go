package lease

import (
	"context"

	"holdfast/ownership"
)

// Survey inspects many sessions of one store. Several goroutines may use it.
type Survey struct {
	view func(ownership.Digest) View
	done func()
}

// NewSurvey begins a survey, which must be closed.
func NewSurvey(s Store) *Survey {
	if many, ok := s.(Surveyor); ok {
		views, done := many.Survey()
		return &Survey{views.View, done}
	}
	return &Survey{func(d ownership.Digest) View { return viewOf(s, d) }, func() {}}
}

// Inspect is [Inspect].
func (x *Survey) Inspect(ctx context.Context, d ownership.Digest) (Inspection, error) {
	v := x.view(d)
	defer v.Close()
	return inspect(ctx, v, d)
}

// Close ends the survey. Nothing may be under inspection any more.
func (x *Survey) Close() { x.done() }
