package etcdstore

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
	"holdfast/ownership"
)

// The timeline names whatever happened in the order of time, so that nobody has to read a
// store from its beginning for what is new in it: TIME/DIGEST/past/REVISION is a record
// that was published, and TIME/DIGEST/note/NAME a note. It has names only.
const (
	timelineName = "/timeline/"
	noteKind     = "/note/"
)

func (k keys) timeline() string { return string(k) + timelineName }

// moment is a time as the names of keys have it, which sort as times do.
func moment(t time.Time) string { return fmt.Sprintf("%016x", uint64(max(0, t.UnixMilli()))) }

func (k keys) published(at time.Time, d ownership.Digest, r ownership.Revision) string {
	return k.timeline() + moment(at) + "/" + d.String() + pastName + r.String()
}

func (k keys) noted(at time.Time, d ownership.Digest, name string) string {
	return k.timeline() + moment(at) + "/" + d.String() + noteKind + name
}

// mark is one name of the timeline, taken apart.
type mark struct {
	at       string
	digest   ownership.Digest
	revision ownership.Revision // zero: a note
	note     string             // its name
	created  int64              // where it stands in the order of the whole cluster
}

func (k keys) markIn(key string) (m mark, ok bool) {
	below, ok := strings.CutPrefix(key, k.timeline())
	at, rest, divided := strings.Cut(below, "/")
	hex, what, named := strings.Cut(rest, "/")
	d, err := ownership.ParseDigest(hex)
	if !ok || !divided || !named || err != nil {
		return m, false
	}
	m.at, m.digest = at, d
	if name, is := strings.CutPrefix("/"+what, noteKind); is {
		m.note = name
		return m, true
	}
	m.revision, err = revisionIn(key)
	return m, err == nil && strings.HasPrefix("/"+what, pastName)
}

// Since reads the timeline from a moment on, and what it names, much at once.
func (s *Store) Since(ctx context.Context, since time.Time) iter.Seq2[lease.Happening, error] {
	return func(yield func(lease.Happening, error) bool) {
		marks, err := s.marks(ctx, since)
		if err != nil {
			yield(lease.Happening{}, err)
			return
		}
		for some := range slices.Chunk(marks, pageOfValues) {
			all, err := s.happenings(ctx, some)
			if err != nil {
				yield(lease.Happening{}, err)
				return
			}
			for _, h := range all {
				if !yield(h, nil) {
					return
				}
			}
		}
	}
}

// marks are in the order of their times, and those of one moment in that in which the
// cluster wrote them.
func (s *Store) marks(ctx context.Context, since time.Time) (all []mark, err error) {
	from, end := s.keys.timeline()+moment(since), clientv3.GetPrefixRangeEnd(s.keys.timeline())
	for kv, err := range s.pageFrom(ctx, "read history", from, end, clientv3.WithKeysOnly(), clientv3.WithLimit(pageOfKeys)) {
		if err != nil {
			return nil, err
		}
		if m, ok := s.keys.markIn(string(kv.Key)); ok {
			m.created = kv.CreateRevision
			all = append(all, m)
		}
	}
	slices.SortFunc(all, func(a, b mark) int { return cmp.Or(strings.Compare(a.at, b.at), cmp.Compare(a.created, b.created)) })
	return all, nil
}

// happenings asks for what some marks name, with one question.
func (s *Store) happenings(ctx context.Context, marks []mark) (all []lease.Happening, err error) {
	var gets []clientv3.Op
	for _, m := range marks {
		if m.note != "" {
			gets = append(gets, clientv3.OpGet(s.keys.notes(m.digest)+m.note))
			continue
		}
		gets = append(gets, clientv3.OpGet(s.keys.past(m.digest, m.revision)), clientv3.OpGet(s.keys.event(m.digest, m.revision)))
	}
	answers, err := s.together(ctx, "read history", gets)
	if err != nil {
		return nil, err
	}
	for _, m := range marks {
		h := lease.Happening{Digest: m.digest}
		if m.note != "" {
			h.Note, answers = answers[0], answers[1:]
		} else {
			h.Published, h.Opens = publishedOf(m.revision, answers[0], answers[1])
			answers = answers[2:]
		}
		if h.Note != nil || h.Published != nil {
			all = append(all, h)
		}
	}
	return all, nil
}

// publishedOf joins a record, under the revision that its name says, with its event, which
// is evidence only (I12).
func publishedOf(named ownership.Revision, record, told []byte) (p *lease.Published, opens bool) {
	if record == nil {
		return nil, false
	}
	e, err := parseEvent(told)
	if err != nil {
		e = event{}
	}
	stored := storedFrom(record, ownership.MaxRecordSize)
	stored.Revision = named
	return &lease.Published{Stored: stored, At: e.At}, e.Opens
}

// together asks for several keys at one moment; nil is one that is not there.
func (s *Store) together(ctx context.Context, op string, gets []clientv3.Op) (values [][]byte, err error) {
	client, err := s.link.use()
	if err != nil {
		return nil, s.failed(ctx, op, string(s.keys), err)
	}
	var answer *clientv3.TxnResponse
	err = s.config.ask(ctx, func(ctx context.Context) (err error) {
		answer, err = client.Txn(ctx).Then(gets...).Commit()
		return err
	})
	if err != nil {
		return nil, s.failed(ctx, op, string(s.keys), err)
	}
	for _, r := range answer.Responses {
		var value []byte
		if kvs := r.GetResponseRange().Kvs; len(kvs) > 0 {
			value = append([]byte{}, kvs[0].Value...)
		}
		values = append(values, value)
	}
	return values, nil
}
