//go:build unix && !linux

package supervise

import (
	"os"

	"github.com/creack/pty"
	"golang.org/x/term"
)

// openPty returns our end and CMD's of a pty that changes nothing of what is
// written to it: the terminal with the descriptor like does that.
func openPty(like int) (ours, theirs *os.File, err error) {
	if ours, theirs, err = pty.Open(); err != nil {
		return nil, nil, err
	}
	_, err = term.MakeRaw(int(theirs.Fd()))
	copySize(int(theirs.Fd()), like)
	return ours, theirs, err
}
