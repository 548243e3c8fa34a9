package cli

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// panicError is a defect that was caught on its way out.
type panicError struct {
	value any
	at    string // the file and line that panicked
}

func (e *panicError) Error() string { return fmt.Sprintf("panic at %s: %v", e.at, e.value) }

// caught makes an error of what recover returned, in the function that recovered.
func caught(value any) error {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	panicking := false
	for {
		f, more := frames.Next()
		inRuntime := strings.HasPrefix(f.Function, "runtime.")
		if panicking && !inRuntime || !more {
			return &panicError{value, fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)}
		}
		panicking = panicking || inRuntime
	}
}
