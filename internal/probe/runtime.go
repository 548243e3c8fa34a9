package probe

import (
	"context"
	"fmt"

	"holdfast/internal/tmux"
	"holdfast/ownership"
)

const runtimeProbe = "runtime"

// KindTmux is the runtime that is a session of a tmux server of this user: its handle
// is the session's name.
const KindTmux = "tmux"

// CheckRuntime returns why a runtime can never be asked: its kind is neither [KindTmux]
// nor [KindProcess], or its handle is none of that kind. It asks nobody.
func CheckRuntime(r ownership.Runtime) error {
	switch r.Kind {
	case KindTmux:
		return tmux.CheckName(r.Handle)
	case KindProcess:
		_, err := ParseProcess(r.Handle)
		return err
	}
	return unknownKind(r.Kind)
}

// Runtime asks whether a runtime that this very host declared is alive, and says in
// detail what was found. An error means that it could not be asked, and never that it
// is gone; every kind but [KindTmux] and [KindProcess] is one. For the runtime of a
// record there is [RuntimeOf].
func Runtime(ctx context.Context, r ownership.Runtime) (alive bool, detail string, err error) {
	switch r.Kind {
	case KindTmux:
		return tmuxSession(ctx, r)
	case KindProcess:
		return processHere(r.Handle)
	}
	return false, "", unknownKind(r.Kind)
}

func tmuxSession(ctx context.Context, r ownership.Runtime) (alive bool, detail string, err error) {
	answer, socket, err := tmux.Ask(ctx, r.Handle)
	return tmuxSays(r.Handle, answer, socket, err)
}

// tmuxSays puts an answer of tmux into words.
func tmuxSays(session string, answer tmux.Answer, socket string, err error) (alive bool, detail string, fault error) {
	switch {
	case err != nil:
		return false, "", err
	case answer == tmux.Present:
		return true, fmt.Sprintf("tmux has a session %q, on socket %s", session, socket), nil
	case answer == tmux.NoServer:
		return false, fmt.Sprintf("no tmux server of this user runs, so none has a session %q", session), nil
	default:
		return false, fmt.Sprintf("no tmux server of this user has a session %q", session), nil
	}
}

func unknownKind(kind string) error {
	return fmt.Errorf("nothing here knows how to ask a runtime of kind %q", kind)
}

// runtime has nothing to say where none is recorded.
func runtime(ctx context.Context, r ownership.Record) answer {
	if r.Session.Runtime == nil {
		return answer{clear: true}
	}
	alive, detail, err := RuntimeOf(ctx, r)
	switch {
	case err != nil:
		return one(runtimeProbe, ownership.Unknown, fmt.Sprintf("cannot tell whether %s is alive: %v", r.Session.Runtime, err))
	case alive:
		return one(runtimeProbe, ownership.Present, detail)
	default:
		return one(runtimeProbe, ownership.Absent, detail)
	}
}
