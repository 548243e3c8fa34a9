package procid

// Process is one process as it was when it was looked at.
type Process struct {
	// PID is numbered as /proc here numbers it.
	PID int
	// StartTicks is field 22 of /proc/PID/stat, in clock ticks (1/100 s) since boot; 0 when unknown.
	StartTicks uint64
	// Program is the base name of what runs, valid UTF-8, never with arguments; empty when unknown.
	Program string
}
