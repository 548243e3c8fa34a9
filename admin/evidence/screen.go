package evidence

import (
	"context"

	"holdfast/internal/probe"
	"holdfast/internal/tmux"
)

// keepScreen writes what the panes of a recorded tmux session show. That it cannot be had is a note.
func (t *taking) keepScreen(ctx context.Context) error {
	r := t.inspection.Record
	if r == nil || r.Session.Runtime == nil {
		return nil
	}
	if kind := r.Session.Runtime.Kind; kind != probe.KindTmux {
		t.note("screen", "a runtime of kind "+kind+" cannot be asked for its screen")
		return nil
	}
	screen, err := tmux.Screen(ctx, r.Session.Runtime.Handle)
	if err != nil {
		t.note("screen", err.Error())
		return nil
	}
	return t.write("screen.txt", screen)
}
