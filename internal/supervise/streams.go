package supervise

import (
	"os"
	"sync"
	"time"
)

// cutTime is how long the end of a run waits for a reader that does not read.
const cutTime = time.Second

// streams are CMD's stdin, stdout and stderr. Without a transcript they are our
// own and all else here is idle.
type streams struct {
	files []uintptr
	ends  []*os.File // CMD's ends, which we close once CMD has them
	pumps []*pump
	ptys  []*pump // those of pumps that read a pty
	done  chan struct{}
	begun bool
	over  bool

	mu         sync.Mutex
	transcript *os.File
	err        error // first failure to write it
	notes      *notices
}

func openStreams(path string, notes *notices) (*streams, error) {
	s := &streams{files: []uintptr{0, 1, 2}, notes: notes, done: make(chan struct{}), over: path == ""}
	if path == "" {
		return s, nil
	}
	var err error
	if s.transcript, err = openTranscript(path); err != nil {
		return nil, err
	}
	if err := s.divert(); err != nil {
		s.cut()
		return nil, err
	}
	return s, nil
}

// divert gives CMD a pty where our stdout or stderr is a terminal, one for both if
// it is the same, and otherwise a pipe each.
func (s *streams) divert() error {
	for fd := 1; fd <= 2; fd++ {
		if fd == 2 && sameTerminal(1, 2) && isTerminal(1) {
			s.files[2] = s.files[1]
			continue
		}
		if err := s.divertOne(fd); err != nil {
			return err
		}
	}
	return nil
}

func (s *streams) divertOne(fd int) (err error) {
	var ours, theirs *os.File
	pty := isTerminal(fd)
	if pty {
		ours, theirs, err = openPty(fd)
	} else {
		ours, theirs, err = os.Pipe()
	}
	if err != nil {
		return err
	}
	p := newPump(ours, fd, s.record)
	s.pumps = append(s.pumps, p)
	s.ends = append(s.ends, theirs)
	s.files[fd] = theirs.Fd() // which also makes it block, as CMD must find it
	if pty {
		s.ptys = append(s.ptys, p)
	}
	return nil
}

// onPty says whether CMD writes to another terminal than the real one.
func (s *streams) onPty() bool { return len(s.ptys) > 0 }

// resize copies the size of the real terminal.
func (s *streams) resize() {
	for _, p := range s.ptys {
		p.resize()
	}
}

// forCommand are the descriptors that CMD gets as 0, 1 and 2.
func (s *streams) forCommand() []uintptr { return s.files }

// begin starts copying. CMD has its ends by now.
func (s *streams) begin() {
	s.closeEnds()
	s.begun = true
	if len(s.pumps) == 0 {
		return
	}
	for _, p := range s.pumps {
		go p.run()
	}
	go func() {
		for _, p := range s.pumps {
			<-p.done
		}
		close(s.done)
	}()
}

// running returns a channel that is closed when the last writer has gone, or nil
// if that was seen.
func (s *streams) running() <-chan struct{} {
	if s.drained() {
		return nil
	}
	return s.done
}

func (s *streams) drained() bool {
	select {
	case <-s.done:
		s.over = true
	default:
	}
	return s.over
}

// record appends to the transcript. After a failure it drops everything, since a
// transcript with a hole in it would look whole.
func (s *streams) record(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil || s.transcript == nil {
		return
	}
	if _, s.err = s.transcript.Write(b); s.err != nil {
		s.notes.say("the transcript is incomplete from here on: %v", s.err)
	}
}

func (s *streams) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// flush copies what CMD has written to a terminal so far, before that changes hands.
func (s *streams) flush() {
	for _, p := range s.ptys {
		p.flush()
	}
}

// cut copies what is there, and closes everything.
func (s *streams) cut() {
	s.closeEnds()
	if s.begun {
		s.cutPumps()
	} else {
		for _, p := range s.pumps {
			p.source.Close()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.transcript != nil {
		if err := s.transcript.Close(); err != nil && s.err == nil {
			s.err = err
		}
		s.transcript = nil
	}
}

func (s *streams) cutPumps() {
	deadline := time.After(cutTime)
	for _, p := range s.pumps {
		p.cut()
		select {
		case <-p.done:
		case <-deadline:
			return
		}
	}
}

func (s *streams) closeEnds() {
	for _, f := range s.ends {
		f.Close()
	}
	s.ends = nil
}
