package procid

import (
	"context"
	"sync"
	"time"
)

// Scanner shares scans among concurrent callers. Its zero value is ready; it must not be copied.
type Scanner struct {
	mu sync.Mutex
	// next is the scan that has not begun, nil when nobody waits for one.
	next *sharedScan
	busy bool // a goroutine is scanning
	// rests is until when that goroutine waits for others to join.
	rests time.Time
	// begun counts the scans that have begun, and last is the latest that has ended well; it was the one of number ended.
	begun, ended Moment
	last         *Scan
	// scan is ScanNow, but for tests of this type.
	scan func(context.Context) (*Scan, error)
}

// Moment is a point in the life of a Scanner, between the scans that had begun by then and those that had not.
type Moment uint64

type sharedScan struct {
	number  Moment        // among those that have begun
	done    chan struct{} // closed when scan and err are set
	callers int
	scan    *Scan
	err     error
}

// Where several shared a scan there are more to come, and a next scan that waits for them a few times as long as it will
// take costs each of them the less.
const (
	waitsPerScan = 8
	longestWait  = 40 * time.Millisecond
)

// Now returns the moment of the call, for Since.
func (s *Scanner) Now() Moment {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Since returns a scan that began after that moment: one that has ended already, or what Next returns.
func (s *Scanner) Since(ctx context.Context, m Moment) (*Scan, error) {
	s.mu.Lock()
	last, ended := s.last, s.ended
	s.mu.Unlock()
	if last != nil && ended > m {
		return last, nil
	}
	return s.Next(ctx)
}

// Next returns a scan that began after the call, so that it shows whatever existed before the call and still does.
// Those who call while a scan is under way wait for the one after it, and share it. It returns ctx's error when that
// ends first, and else what ScanNow returns.
func (s *Scanner) Next(ctx context.Context) (*Scan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mine := s.join()
	select {
	case <-mine.done:
		return mine.scan, mine.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// join enters the scan that has not begun, and sees to it that it will.
func (s *Scanner) join() *sharedScan {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = &sharedScan{done: make(chan struct{})}
	}
	s.next.callers++
	if !s.busy {
		s.busy = true
		go s.work()
	}
	return s.next
}

// work scans for as long as somebody waits. It belongs to no caller, so none can cancel the others' scan.
func (s *Scanner) work() {
	for s.isWanted() {
		time.Sleep(time.Until(s.rests))
		current, began := s.begin(), time.Now()
		current.scan, current.err = s.run()
		s.end(current)
		if current.callers > 1 {
			s.rests = time.Now().Add(min(waitsPerScan*time.Since(began), longestWait))
		}
	}
}

// isWanted reports whether somebody waits; else whoever comes next begins to work.
func (s *Scanner) isWanted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy = s.next != nil
	return s.busy
}

// begin closes the entry to the next scan: who joins from here on gets the one after it.
func (s *Scanner) begin() *sharedScan {
	s.mu.Lock()
	defer s.mu.Unlock()
	current := s.next
	s.next = nil
	s.begun++
	current.number = s.begun
	return current
}

// end hands a scan to those who wait for it. One that failed is nobody else's.
func (s *Scanner) end(current *sharedScan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if current.err == nil {
		s.last, s.ended = current.scan, current.number
	}
	close(current.done)
}

func (s *Scanner) run() (*Scan, error) {
	if s.scan != nil {
		return s.scan(context.Background())
	}
	return ScanNow(context.Background())
}
