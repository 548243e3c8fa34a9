package cli

import "holdfast/ownership"

// ink colours words, where there is a terminal to show it.
type ink struct{ on bool }

func (k ink) in(code, s string) string {
	if !k.on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (k ink) bold(s string) string { return k.in("1", s) }
func (k ink) dim(s string) string  { return k.in("2", s) }

// state shows a state in the colour of what it asks of a person.
func (k ink) state(s ownership.State) string {
	switch s {
	case ownership.StateHeld:
		return k.in("1;32", string(s))
	case ownership.StateStranded, ownership.StateUnproven:
		return k.in("1;33", string(s))
	case ownership.StateUnreadable:
		return k.in("1;31", string(s))
	}
	return k.in("1", string(s))
}

// finding is what stands before a line of evidence.
func (k ink) finding(f ownership.Finding) string {
	switch f {
	case ownership.Present:
		return k.in("32", "+")
	case ownership.Absent:
		return k.in("31", "−")
	}
	return k.in("33", "?")
}
