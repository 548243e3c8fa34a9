package gitwork

import (
	"context"
	"sync"
)

// Progress is how far a capture or a restore is. Total can grow when repositories inside are come upon.
type Progress struct {
	Step  string // what is being done, for people
	Done  int64  // bytes
	Total int64  // bytes, an estimate; Done ends there
}

// meter adds up bytes from several threads and passes them on, one call at a time.
type meter struct {
	mu   sync.Mutex
	now  Progress
	tell func(Progress)
}

func (m *meter) expect(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Total += bytes
}

func (m *meter) step(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Step = name
	m.report()
}

func (m *meter) add(bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Done = min(m.now.Done+bytes, m.now.Total)
	m.report()
}

// finish makes up for what was estimated and never came.
func (m *meter) finish() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now.Done = m.now.Total
	m.report()
}

func (m *meter) report() {
	if m.tell != nil {
		m.tell(m.now)
	}
}

// stopping makes a long copy end when ctx does.
type stopping struct {
	ctx context.Context
	to  interface{ Write([]byte) (int, error) }
}

func (s stopping) Write(p []byte) (int, error) {
	if err := context.Cause(s.ctx); err != nil {
		return 0, err
	}
	return s.to.Write(p)
}
