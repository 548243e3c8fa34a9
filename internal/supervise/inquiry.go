package supervise

import "time"

// askEvery is how often a runtime that was not gone is asked about again.
const askEvery = 500 * time.Millisecond

// inquiry asks [Command.Pending], in a goroutine of its own: whoever answers may
// hang, and signals must be heard meanwhile.
type inquiry struct {
	pending func() (string, error)
	answers chan answer
	asking  bool
	next    time.Time
	last    answer
	gone    bool
}

type answer struct {
	what string
	err  error
}

func newInquiry(pending func() (string, error)) *inquiry {
	return &inquiry{pending: pending, gone: pending == nil, answers: make(chan answer, 1)}
}

func (q *inquiry) ask(now time.Time) {
	if q.gone || q.asking || now.Before(q.next) {
		return
	}
	q.asking = true
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

// answered says whether there is an answer other than gone.
func (q *inquiry) answered() bool { return !q.gone && !q.next.IsZero() }

func (a answer) String() string {
	switch {
	case a.err != nil:
		return "the declared runtime, which cannot be asked: " + a.err.Error()
	case a.what == "":
		return "the declared runtime's answer"
	default:
		return a.what
	}
}
