package evidence

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"holdfast/internal/plainfile"
	"holdfast/lease"
	"holdfast/ownership"
)

// liveness is what liveness.json says.
type liveness struct {
	At       ownership.Timestamp `json:"at"`
	State    ownership.State     `json:"state"`
	Fault    *string             `json:"fault"`    // why the record is unreadable
	Liveness *ownership.Liveness `json:"liveness"` // nil where the state does not depend on it
	Pulse    *lease.Pulse        `json:"pulse"`
}

// keepSession writes what is known of the session itself.
func (t *taking) keepSession(ctx context.Context) error {
	tell(t.options.Progress, Progress{Step: stepSession})
	i := t.inspection
	l := liveness{At: t.snapshot.TakenAt, State: i.State, Liveness: i.Liveness, Pulse: i.Pulse}
	if i.Fault != nil {
		why := i.Fault.Error()
		l.Fault = &why
	}
	return errors.Join(t.keepRecord(), t.writeJSON("liveness.json", l), t.keepProcesses(ctx), t.keepScreen(ctx))
}

// keepRecord writes the very bytes in the record's place, also where they are no record (I1).
func (t *taking) keepRecord() error {
	stored := t.inspection.Stored
	switch {
	case stored.Vacant():
		t.note("record", "the session is vacant: there is none")
		return nil
	case stored.Fault != nil:
		return t.keepFaulty(stored.Fault)
	}
	return t.write("record.json", stored.Bytes)
}

// maxFaulty bounds what is kept of a file that is too large for a record: anybody can make one of a terabyte.
const maxFaulty = 64 << 20

// keepFaulty keeps what a store does not hand out, since it is no candidate for a record: a file that is too large.
func (t *taking) keepFaulty(fault error) error {
	path := filepath.Join(t.store.Identity(), "sessions", t.inspection.KeyDigest.String(), "record.json")
	from, err := openFaulty(path)
	if err != nil {
		t.snapshot.OutOfScope = append(t.snapshot.OutOfScope, Omission{
			What: "record.json", Count: 1, Example: path,
			Why: fmt.Sprintf("%v, and was not kept: %v; 'session recover --quarantine' keeps it", fault, err),
		})
		return nil
	}
	defer from.Close()
	f, err := t.create("record.json")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	return t.keep(f, err)
}

func openFaulty(path string) (*os.File, error) {
	f, err := plainfile.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxFaulty {
		err = fmt.Errorf("it has %d bytes", info.Size())
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
