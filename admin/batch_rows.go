package admin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"holdfast/lease"
	"holdfast/ownership"
)

// errAside is returned for a recovery that begins with a snapshot: those come one at a
// time, in their turn, since each may take minutes and tells how far it is.
var errAside = errors.New("its work has to be saved first")

// batch is the recovery of many rows.
type batch struct {
	ctx      context.Context
	store    lease.Store
	template Recovery
	looks    *lease.Survey
	width    int       // how many rows are under way at once
	left     *batchRow // the first that was not begun; to be read when all are answered

	mu     sync.Mutex
	latest map[ownership.Digest]chan struct{} // closed when the last row of a session is done; only of rows under way
}

// rowAnswer is what became of a row.
type rowAnswer struct {
	row    batchRow
	result BatchResult
	err    error
}

// rowQuestion is a row to be recovered.
type rowQuestion struct {
	row    batchRow
	before chan struct{} // closed when its session's turn comes; nil: it has
	done   chan struct{}
	answer chan<- rowAnswer
}

// begin recovers rows concurrently and hands out their answers in order. Every answer
// that is handed out comes; after asking ends no further one is.
func (b *batch) begin(asking context.Context, rows io.Reader) <-chan chan rowAnswer {
	answers := make(chan chan rowAnswer, b.width)
	questions := make(chan rowQuestion)
	b.latest = map[ownership.Digest]chan struct{}{}
	go func() {
		defer close(answers)
		defer close(questions)
		b.read(asking, rows, answers, questions)
	}()
	return answers
}

// read begins with one row after the other, each as soon as there is room for its answer.
func (b *batch) read(asking context.Context, rows io.Reader, answers chan<- chan rowAnswer, questions chan rowQuestion) {
	lines := bufio.NewScanner(rows)
	lines.Buffer(nil, maxRowSize)
	n, workers := 0, 0
	for lines.Scan() {
		n++
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		row, err := parseRow(lines.Bytes())
		row.line = n
		answer := make(chan rowAnswer, 1)
		select {
		case <-asking.Done():
			b.left = &row
			return
		case answers <- answer:
		}
		if err != nil {
			answer <- rowAnswer{row, BatchResult{Line: n}, &RowError{n, err.Error()}}
			continue
		}
		if workers < b.width {
			workers++
			go b.recoverEach(questions)
		}
		questions <- b.question(row, answer)
	}
	if err := lines.Err(); err != nil {
		answer := make(chan rowAnswer, 1)
		answer <- rowAnswer{result: BatchResult{Line: n + 1}, err: unreadRest(n+1, err)}
		answers <- answer
	}
}

// question puts a row behind the one before it of its session.
func (b *batch) question(row batchRow, answer chan<- rowAnswer) rowQuestion {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := rowQuestion{row, b.latest[row.target.Digest], make(chan struct{}), answer}
	b.latest[row.target.Digest] = q.done
	return q
}

// recoverEach recovers one row after the other: a goroutine for each would have to grow
// its stack anew.
func (b *batch) recoverEach(questions <-chan rowQuestion) {
	template := b.template
	template.aside, template.looks = true, b.looks
	for q := range questions {
		if q.before != nil {
			<-q.before
		}
		result, err := recoverRow(b.ctx, b.store, q.row, template)
		b.finish(q)
		q.answer <- rowAnswer{q.row, result, err}
	}
}

func (b *batch) finish(q rowQuestion) {
	close(q.done)
	b.mu.Lock()
	defer b.mu.Unlock()
	if d := q.row.target.Digest; b.latest[d] == q.done {
		delete(b.latest, d)
	}
}

// drainRows leaves no recovery under way: the store may be closed next.
func drainRows(cancel context.CancelFunc, answers <-chan chan rowAnswer) {
	cancel()
	for answer := range answers {
		<-answer
	}
}
