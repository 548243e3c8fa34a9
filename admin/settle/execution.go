package settle

import "holdfast/ownership"

// Execution is one acquisition of a session that has ended, with what was found about
// it. Freshness and place of both findings are for [Settle] to judge.
type Execution struct {
	Key        *string // nil where it is not kept
	Place      Place
	AcquiredAt ownership.Timestamp
	Verdict    *Verdict    // nil: there is none that can be used
	Transcript *Transcript // nil: there is none that can be read
	Notes      []string    // why not, and what else people should know
}

// Transcript is the end of what an agent wrote.
type Transcript struct {
	WrittenAt ownership.Timestamp // when it was last written
	Signals   []Signal            // as SignalsIn returns them
	Partial   bool                // not all of the lines that can hold a signal were looked at
}
