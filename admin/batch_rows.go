package admin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"

	"holdfast/lease"
	"holdfast/ownership"
)

// batchWidth bounds how many rows of a batch are recovered at once. Those that wait for
// the disk, or for a look at the processes of this host, wait together.
const batchWidth = 64

// errAside is returned for a recovery that begins with a snapshot: those come one at a
// time, in their turn, since each may take minutes and tells how far it is.
var errAside = errors.New("its work has to be saved first")

// batch is the recovery of many rows.
type batch struct {
	ctx      context.Context
	store    lease.Store
	template Recovery
}

// rowAnswer is what became of a row.
type rowAnswer struct {
	row    []byte
	result BatchResult
	err    error
}

// begin recovers rows concurrently and hands out their answers in order. Every answer
// that is handed out comes; after asking ends no further one is.
func (b *batch) begin(asking context.Context, rows io.Reader) <-chan chan rowAnswer {
	answers := make(chan chan rowAnswer, batchWidth)
	go func() {
		defer close(answers)
		lines := bufio.NewScanner(rows)
		lines.Buffer(nil, maxRowSize)
		latest := map[ownership.Digest]chan struct{}{}
		n := 0
		for lines.Scan() {
			n++
			row := bytes.Clone(lines.Bytes())
			if len(bytes.TrimSpace(row)) == 0 {
				continue
			}
			answer := make(chan rowAnswer, 1)
			select {
			case <-asking.Done():
				return
			case answers <- answer:
			}
			b.recover(n, row, latest, answer)
		}
		if err := lines.Err(); err != nil {
			answer := make(chan rowAnswer, 1)
			answer <- rowAnswer{nil, BatchResult{Line: n + 1}, unreadRest(n+1, err)}
			answers <- answer
		}
	}()
	return answers
}

// recover begins with one row. Rows of one session come one after the other.
func (b *batch) recover(line int, row []byte, latest map[ownership.Digest]chan struct{}, answer chan<- rowAnswer) {
	var before chan struct{}
	done := make(chan struct{})
	if parsed, err := parseRow(row); err == nil {
		before = latest[parsed.target.Digest]
		latest[parsed.target.Digest] = done
	}
	go func() {
		defer close(done)
		if before != nil {
			<-before
		}
		template := b.template
		template.aside = true
		result, err := recoverRow(b.ctx, b.store, line, row, template)
		answer <- rowAnswer{row, result, err}
	}()
}

// drainRows leaves no recovery under way: the store may be closed next.
func drainRows(cancel context.CancelFunc, answers <-chan chan rowAnswer) {
	cancel()
	for answer := range answers {
		<-answer
	}
}
