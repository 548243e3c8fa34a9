package supervise

import (
	"os"
	"time"
)

// Linger says what [Run] does about descendants that outlive CMD.
type Linger int

const (
	// Wait waits for them, however long they take. It is the default.
	Wait Linger = iota
	// Kill sends TERM, and KILL after the grace, to every one of them.
	Kill
	// Strand gives up at once if there is any.
	Strand
)

// Command is what to run and how to end it.
type Command struct {
	// Argv[0] is resolved as a shell resolves it, with the PATH of Env.
	Argv []string
	// Env is CMD's whole environment; nil means this process's own.
	Env []string
	// Dir is the directory CMD starts in; "" means this process's own.
	Dir string

	// Kin is handed to CMD under the number it has here, which should be 100 or
	// more so that neither nested runs nor `exec 3>file` overwrite it. It must be
	// close-on-exec; Run clears that for the one fork that starts CMD and closes
	// Kin before it waits for anything. May be nil.
	Kin *os.File

	// Transcript is a file that receives a copy of CMD's output. "" leaves CMD
	// with our own stdout and stderr.
	Transcript string

	Linger Linger
	// Grace is the time between TERM and KILL; 0 is KILL at once. What is left after
	// a second one, of 2 s or more, makes the end not quiescent.
	Grace time.Duration
	// LostGrace is asked when ownership is lost: how long the one who may own next is
	// kept out. The grace is not longer. Nil: as long as Grace says.
	LostGrace func() time.Duration

	// Notice prints a line for people. It is called from one goroutine of its
	// own, so it may block without holding up CMD. May be nil.
	Notice func(format string, args ...any)

	// Pending is asked repeatedly once no descendant is left: what else must be
	// gone before the session is quiescent, or "" for nothing. An error means that
	// it could not be asked, which counts as not gone. It may start and wait for
	// processes; it may not leave any behind. May be nil.
	Pending func() (what string, err error)
	// Asks is the question that Pending puts, for people, to follow "whether": they are
	// told of it for as long as there is no answer.
	Asks string
}

// Result says how CMD and its descendants ended.
type Result struct {
	// Exit is CMD's own status, or [Unknown] if CMD survived a lost ownership.
	Exit Status
	// Quiescent means that nothing CMD started is left; Proof says how that is
	// known, or what speaks against it.
	Quiescent bool
	Proof     string
	// Survivors are the descendants seen last when not quiescent.
	Survivors []Process
	// Ended is the first request to end, or nil.
	Ended os.Signal
	// Lost means that the context ended first and CMD's group was therefore
	// stopped.
	Lost bool
	// TranscriptErr is the first failure to write the transcript, which is then
	// incomplete. CMD is not disturbed by it.
	TranscriptErr error
}
