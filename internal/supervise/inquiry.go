package supervise

import "time"

// askEvery is how often a runtime that was not gone is asked about again.
const askEvery = 500 * time.Millisecond

// inquiry asks [Command.Pending], in a goroutine of its own: whoever answers may
// hang, and signals must be heard meanwhile.
type inquiry struct {
	asks    string // [Command.Asks]
	pending func() (string, error)
	answers chan answer
	asking  bool
	began   time.Time // of what is being asked
	next    time.Time
	last    answer
	gone    bool
}

type answer struct {
	what string
	err  error
}

func newInquiry(c *Command) *inquiry {
	return &inquiry{asks: c.Asks, pending: c.Pending, gone: c.Pending == nil, answers: make(chan answer, 1)}
}

func (q *inquiry) ask(now time.Time) {
	if q.gone || q.asking || now.Before(q.next) {
		return
	}
	q.asking, q.began = true, now
	go func() {
		what, err := q.pending()
		q.answers <- answer{what, err}
	}()
}

func (q *inquiry) settle(now time.Time, a answer) {
	q.asking = false
	q.last = a
	q.gone = a.err == nil && a.what == ""
	q.next = now.Add(askEvery)
}

// hasJustBegun says whether the first answer is to come, and may at any moment.
func (q *inquiry) hasJustBegun(now time.Time) bool {
	return q.asking && q.next.IsZero() && now.Sub(q.began) < echo
}

// answered says whether there is an answer other than gone.
func (q *inquiry) answered() bool { return !q.gone && !q.next.IsZero() }

// String says what is waited for, to follow those words.
func (q *inquiry) String() string {
	if q.last.what != "" {
		return q.last.what
	}
	text := "the answer whether " + q.asks
	if q.last.err != nil {
		text += ", which cannot be had: " + q.last.err.Error()
	}
	return text
}
