package lease

import (
	"context"

	"holdfast/ownership"
)

// Viewer is a [Store] that can look at one session several times for little more than
// once.
type Viewer interface {
	// View begins to look. It fails for nothing: what is wrong, its methods tell.
	View(ownership.Digest) View
}

// View is some looks at one session, with the methods of a [Store] about it. What one
// finds is as it was at that moment, not at the beginning of the view.
type View interface {
	Load(context.Context) (Stored, error)
	Probe(context.Context, ownership.Record) (ownership.Liveness, error)
	Pulse(context.Context) ([]byte, error)
	// Hold may take over what the view has open: it is the last that is asked of it.
	Hold(context.Context, ownership.Generation) (Hold, error)
	Close()
}

// Surveyor is a [Store] that can look at many sessions for less than at each by itself.
type Surveyor interface {
	// Survey opens what the views of one survey share, until done is called after the last
	// of them is closed. It fails for nothing: what is wrong, the views tell.
	Survey() (views Viewer, done func())
}

// Looker is a [Hold] that can load the record of its session for less than its store.
type Looker interface {
	Load(context.Context) (Stored, error)
}

// LoadUnder loads the record of a session whose life lock is held.
func LoadUnder(ctx context.Context, s Store, h Hold) (Stored, error) {
	if l, ok := h.(Looker); ok {
		return l.Load(ctx)
	}
	return s.Load(ctx, h.Digest())
}

// viewOf is a view of any store.
func viewOf(s Store, d ownership.Digest) View {
	if v, ok := s.(Viewer); ok {
		return v.View(d)
	}
	return plainView{s, d}
}

// plainView asks a store anew each time.
type plainView struct {
	store  Store
	digest ownership.Digest
}

func (v plainView) Load(ctx context.Context) (Stored, error)  { return v.store.Load(ctx, v.digest) }
func (v plainView) Pulse(ctx context.Context) ([]byte, error) { return v.store.Pulse(ctx, v.digest) }
func (v plainView) Close()                                    {}

func (v plainView) Probe(ctx context.Context, r ownership.Record) (ownership.Liveness, error) {
	return v.store.Probe(ctx, r)
}

func (v plainView) Hold(ctx context.Context, g ownership.Generation) (Hold, error) {
	return v.store.Hold(ctx, v.digest, g)
}
