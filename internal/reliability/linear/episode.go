package linear

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"
	"lukechampine.com/blake3"

	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
	record "holdfast/ownership"
)

// episode is one store with a few sessions.
type episode struct {
	report   *lab.Report
	store    string
	sessions []*session
	start    time.Time
}

// now is the time since the start, in nanoseconds.
func (e *episode) now() int64 { return int64(time.Since(e.start)) }

// session is what happened to one session.
type session struct {
	key    string
	digest record.Digest

	mu     sync.Mutex
	events []porcupine.Operation
	open   []unknown
}

// unknown is what somebody did whose revision is to be looked up.
type unknown struct {
	client    int
	call, end int64
	owner     string
	deed      deed
}

func newSession(key string) (*session, error) {
	k, err := record.ParseKey(key)
	return &session{key: key, digest: k.Digest()}, err
}

func (s *session) note(client int, call, end int64, e event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, porcupine.Operation{ClientId: client, Input: e, Call: call, Return: end})
}

// later notes what may have been done.
func (s *session) later(client int, call, end int64, owner string, d deed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = append(s.open, unknown{client, call, end, owner, d})
}

func (s *session) dir(store string) string {
	return filepath.Join(store, "sessions", s.digest.String())
}

func (s *session) inForce(store string) (string, bool) {
	b, err := os.ReadFile(filepath.Join(s.dir(store), "record.json"))
	return revisionOf(b), err == nil
}

func revisionOf(b []byte) string {
	sum := blake3.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// published is every record of the session that came into force, by owner and what it did:
// the record that is in force, and those that it follows. One whose publisher was killed
// after the name in history and before the rename has that name, and never was in force.
func (s *session) published(store string) (map[string]map[deed]event, error) {
	all := map[string]map[deed]event{}
	name := "record.json"
	for {
		b, err := os.ReadFile(filepath.Join(s.dir(store), name))
		if errors.Is(err, fs.ErrNotExist) {
			return all, nil // where the chain should go on, the checker says so
		}
		if err != nil {
			return nil, err
		}
		r, err := record.Decode(b)
		if err != nil {
			return nil, err
		}
		addDeed(all, r, revisionOf(b))
		if r.PreviousRevision == nil {
			return all, nil
		}
		name = fmt.Sprintf("rev.%s.json", r.PreviousRevision)
	}
}

func addDeed(all map[string]map[deed]event, r record.Record, revision string) {
	e := event{owner: r.Owner.Kind, generation: uint64(r.Generation), revision: revision}
	switch {
	case r.State == record.RecordActive:
		e.deed = acquired
	case *r.Release == record.ReleaseAcknowledged:
		e.deed = released
	default:
		return
	}
	if all[e.owner] == nil {
		all[e.owner] = map[deed]event{}
	}
	all[e.owner][e.deed] = e
}

// judge returns what is wrong with a session, and what was told of it.
func (s *session) judge(store string) (told *check.Session, wrong []string) {
	told = &check.Session{Unanswered: 2 * len(s.open)}
	published, err := s.published(store)
	if err != nil {
		return told, []string{err.Error()}
	}
	for _, u := range s.open {
		if e, ok := published[u.owner][u.deed]; ok {
			s.note(u.client, u.call, u.end, e)
		}
	}
	seen := map[string]bool{}
	for _, o := range s.events {
		e := o.Input.(event)
		if e.deed != acquired && e.deed != released && e.deed != recovered {
			continue
		}
		if seen[e.revision] {
			wrong = append(wrong, "revision "+e.revision+" was issued twice")
		}
		seen[e.revision] = true
		r, err := record.ParseRevision(e.revision)
		if err != nil {
			wrong = append(wrong, err.Error())
		}
		told.Somewhen = append(told.Somewhen, r)
	}
	if err := s.explain(); err != nil {
		wrong = append(wrong, err.Error())
	}
	return told, wrong
}

// explain looks for an order that explains everything.
func (s *session) explain() error {
	switch porcupine.CheckOperationsTimeout(model, s.events, lab.Patience) {
	case porcupine.Ok:
		return nil
	case porcupine.Unknown:
		return errors.New("no order was found in time")
	}
	return errors.New("no order explains what happened to " + s.key)
}

// tell prints what happened, for a person to find the order.
func (s *session) tell(to io.Writer) {
	for _, o := range s.events {
		fmt.Fprintf(to, "  %s client %d from %d to %d: %+v\n", s.key, o.ClientId, o.Call, o.Return, o.Input)
	}
}
