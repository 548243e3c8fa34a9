package evidence

// Progress is how far a snapshot or a restore is. Each step may count anew, and in bytes; a total of 0 is not known.
type Progress struct {
	Step  string // what is being done, for people
	Done  int64
	Total int64
}

// Steps of a snapshot beside those of the worktree and the tracker.
const (
	stepLook    = "looking for space"
	stepSession = "writing what is known of the session"
	stepEnd     = "reading the end of the transcript"
	stepTracker = "checking the copy of the tracker"
	stepAgain   = "looking again"
	stepSeal    = "writing the manifest"
	stepName    = "giving the snapshot its name"
	stepDone    = "done"
	stepVerify  = "comparing with the manifest"
)

func tell(progress func(Progress), p Progress) {
	if progress != nil {
		progress(p)
	}
}
