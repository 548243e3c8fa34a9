// Package tail keeps the end of what is written: what a program says last is why it failed.
package tail

// Tail keeps the last bytes written to it. Writing never fails.
type Tail struct {
	limit int
	kept  []byte
}

// Of returns a Tail that keeps up to limit bytes.
func Of(limit int) *Tail { return &Tail{limit: limit} }

func (t *Tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if over := len(t.kept) - t.limit; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(p), nil
}

func (t *Tail) String() string { return string(t.kept) }
