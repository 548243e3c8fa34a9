package sqlitecopy

import (
	"context"
	"fmt"
	"slices"
)

// check runs integrity_check. Its error is about this machine, never about the database.
func (e *engine) check(ctx context.Context) (Check, Integrity, error) {
	lines, err := e.lines(ctx, "PRAGMA integrity_check")
	if err == nil {
		return verdict(lines)
	}
	lines = append(lines, fmt.Sprintf("not completed: %v", err))
	switch faultOf(err) {
	case ofFormat:
		return Check{Lines: lines}, NotDatabase, nil
	case ofContent:
		return Check{Lines: lines}, Damaged, nil
	case ofStatement, ofEngine:
		return Check{Lines: lines}, Unchecked, nil
	}
	return Check{}, "", err
}

func verdict(lines []string) (Check, Integrity, error) {
	if slices.Equal(lines, []string{"ok"}) {
		return Check{OK: true, Lines: lines}, Sound, nil
	}
	return Check{Lines: lines}, Damaged, nil
}
