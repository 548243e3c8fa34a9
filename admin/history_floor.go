package admin

import (
	"context"

	"holdfast/internal/journal"
	"holdfast/ownership"
)

// floor returns the highest generation that is remembered of a session whose record
// cannot be read (I2): in what is left beside it, or in the archive. An archive that
// cannot be read may remember any: then it is the number of seconds since 1970, which
// no session has reached by being acquired, and err says why.
func (q request) floor(ctx context.Context, d ownership.Digest, traces ownership.Generation) (floor ownership.Generation, err error) {
	h, ok := q.store.(historian)
	if !ok {
		return traces, nil
	}
	archived, err := journal.At(h.JournalPath()).Highest(ctx, d)
	if err != nil {
		archived = ownership.Generation(max(1, q.at.Time().Unix()))
	}
	return max(traces, archived), archiveFault(err)
}

// unremembered says why a generation is a number of seconds.
func unremembered(err error) ownership.Evidence {
	return ownership.Evidence{Probe: "archive", Finding: ownership.Unknown,
		Detail: "it cannot say which generations there were, so the new one is above the number of seconds since 1970: " + err.Error()}
}
