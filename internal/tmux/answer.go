package tmux

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// parseNames reads lines of "$3:name". Every other output is an error: it does not come from the command we ran.
func parseNames(out []byte) (map[string]bool, error) {
	names := map[string]bool{}
	if len(out) == 0 {
		return names, nil // a server without sessions (exit-empty off)
	}
	text, whole := strings.CutSuffix(string(out), "\n")
	for line := range strings.SplitSeq(text, "\n") {
		id, name, ok := strings.Cut(line, ":")
		if !whole || !ok || name == "" || !strings.HasPrefix(id, "$") || !isID(id) {
			return nil, fmt.Errorf("unexpected answer %q", line)
		}
		names[name] = true
	}
	return names, nil
}

// explain tells no server from not having been able to ask.
func (s server) explain(err error) (Answer, error) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, err
	}
	said := strings.TrimSpace(string(exit.Stderr))
	switch socket, why := refusedAt(said); why {
	case refused:
		return NoServer, nil
	case missing:
		return withoutSocket(socket)
	}
	return 0, fmt.Errorf("%w: %q", err, said)
}

// refusal is why tmux found no server at a socket.
type refusal int

const (
	refused refusal = iota + 1 // nobody listens
	missing                    // no such file
)

// refusedAt understands the two sentences of tmux's client.c that mean no server. System errors are not translated in
// them, since tmux does not set LC_MESSAGES. It returns 0 for all others.
func refusedAt(said string) (socket string, why refusal) {
	if socket, ok := strings.CutPrefix(said, "no server running on "); ok {
		return socket, refused
	}
	socket, ok := strings.CutPrefix(said, "error connecting to ")
	if socket, ok2 := strings.CutSuffix(socket, " (No such file or directory)"); ok && ok2 {
		return socket, missing
	}
	return "", 0
}

// withoutSocket is for a socket that is not there. Cleaners of /tmp remove sockets of servers that live on, and only the
// kernel still knows.
func withoutSocket(socket string) (Answer, error) {
	listening, err := listensAt(socket)
	if err != nil {
		return 0, err
	}
	if listening {
		return 0, fmt.Errorf("a server still listens at %s, whose file was removed (SIGUSR1 makes tmux create it again)", socket)
	}
	return NoServer, nil
}
