package sqlitecopy

// Progress is how far a copy is. Total grows when a try has to be repeated.
type Progress struct {
	Step  string // what is being done, for people
	Done  int64  // bytes
	Total int64  // bytes, an estimate; Done ends there
}

// meter adds up bytes and passes them on.
type meter struct {
	now  Progress
	tell func(Progress)
}

func (m *meter) expect(bytes int64) { m.now.Total += bytes }

func (m *meter) step(name string) {
	m.now.Step = name
	m.report()
}

func (m *meter) add(bytes int64) {
	m.now.Done = min(m.now.Done+bytes, m.now.Total)
	m.report()
}

// finish makes up for what was estimated and never came.
func (m *meter) finish() {
	m.now.Done = m.now.Total
	m.report()
}

func (m *meter) report() {
	if m.tell != nil {
		m.tell(m.now)
	}
}
