package admin

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"holdfast/internal/probe"
	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// surveyed is one session of a survey; with an error, only its digest is known, or
// not even that.
type surveyed struct {
	lease.Inspection
	err   error
	began procid.Moment // before the inspection
}

// survey inspects every session of a store, in the order of their digests. What
// could not even be listed comes last, and so does the error of a ctx that ended.
func survey(ctx context.Context, s lease.Store) iter.Seq[surveyed] {
	return func(yield func(surveyed) bool) {
		asking, cancel := context.WithCancel(ctx)
		digests, last := digestsOf(ctx, s)
		looks := lease.NewSurvey(s)
		defer looks.Close()
		answers := ask(asking, looks, digests)
		defer drain(cancel, answers)
		for answer := range answers {
			if !yield(<-answer) {
				return
			}
		}
		if err := context.Cause(ctx); err != nil {
			last = append(last, surveyed{err: err})
		}
		for _, u := range last {
			if !yield(u) {
				return
			}
		}
	}
}

// drain leaves no inspection under way: the store may be closed next.
func drain(cancel context.CancelFunc, answers <-chan chan surveyed) {
	cancel()
	for answer := range answers {
		<-answer
	}
}

func digestsOf(ctx context.Context, s lease.Store) (digests []ownership.Digest, unlisted []surveyed) {
	for d, err := range s.List(ctx) {
		if err != nil {
			unlisted = append(unlisted, surveyed{Inspection: lease.Inspection{KeyDigest: d}, err: err})
			continue
		}
		digests = append(digests, d)
	}
	slices.SortFunc(digests, func(a, b ownership.Digest) int { return bytes.Compare(a[:], b[:]) })
	return digests, unlisted
}

// ask inspects the sessions concurrently and hands out their answers in order. Every
// answer that is handed out comes; after ctx ends no further one is.
func ask(ctx context.Context, looks *lease.Survey, digests []ownership.Digest) <-chan chan surveyed {
	width := widthsHere().survey
	answers := make(chan chan surveyed, width)
	questions := make(chan question)
	for range min(width, len(digests)) {
		go answerEach(ctx, looks, questions)
	}
	go func() {
		defer close(answers)
		defer close(questions)
		for _, d := range digests {
			q := question{d, make(chan surveyed, 1)}
			select {
			case <-ctx.Done():
				return
			case answers <- q.answer:
			}
			questions <- q
		}
	}()
	return answers
}

// question is a session to be inspected.
type question struct {
	digest ownership.Digest
	answer chan surveyed
}

// answerEach inspects one session after the other: each goroutine of its own would have to
// grow its stack anew.
func answerEach(ctx context.Context, looks *lease.Survey, questions <-chan question) {
	for q := range questions {
		began := probe.Now()
		i, err := looks.Inspect(ctx, q.digest)
		i.KeyDigest = q.digest
		q.answer <- surveyed{i, err, began}
	}
}
