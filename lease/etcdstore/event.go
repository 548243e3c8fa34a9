package etcdstore

import (
	"encoding/json"
	"time"

	"holdfast/ownership"
)

// event is what is kept of one publish beside the record, by the clock and the name of
// its publisher. A publish that is repeated has the same key.
type event struct {
	At         ownership.Timestamp  `json:"at"`
	Generation ownership.Generation `json:"generation"`
	Revision   ownership.Revision   `json:"revision"`
	Previous   *ownership.Revision  `json:"previousRevision"`
	Opens      bool                 `json:"opens"` // it is the first of its generation
	Host       string               `json:"host"`
	PID        int                  `json:"pid"`
}

func newEvent(h *hold, p publication, r ownership.Revision, now time.Time) string {
	e := event{At: ownership.At(now), Generation: h.generation, Revision: r, Opens: h.published.mod == 0, Host: thisProcess().Host, PID: thisProcess().PID}
	if !p.previous.IsZero() {
		e.Previous = &p.previous
	}
	b, err := json.Marshal(e)
	if err != nil {
		return "{}" // it is evidence only
	}
	return string(b)
}

func parseEvent(b []byte) (e event, err error) {
	err = json.Unmarshal(b, &e)
	return e, err
}
