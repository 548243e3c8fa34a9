package cli

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// parseSpan reads a duration: as Go writes them, or a number of days or weeks.
func parseSpan(s string) (time.Duration, error) {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"d", 24 * time.Hour}, {"w", 7 * 24 * time.Hour}} {
		number, ok := strings.CutSuffix(s, unit.name)
		n, err := strconv.ParseUint(number, 10, 14)
		if ok && err == nil {
			return time.Duration(n) * unit.size, nil
		}
	}
	d, err := time.ParseDuration(s)
	if err == nil && d < 0 {
		err = errors.New("it is negative")
	}
	return d, err
}
