package cli

import (
	"fmt"
	"time"

	"holdfast/ownership"
)

// when returns an instant as people read it: absolute, and how long ago.
func when(at ownership.Timestamp, now time.Time) string {
	return at.Time().Format("2006-01-02 15:04:05 UTC") + ", " + ago(now.Sub(at.Time()))
}

// ago says how long ago something was, in its largest unit. What has yet to come, by
// a clock that differs, says so.
func ago(d time.Duration) string {
	if d < -time.Second {
		return span(-d) + " from now by this clock"
	}
	if d < time.Second {
		return "just now"
	}
	return span(d) + " ago"
}

// short is a span in a column of a table: 12s, 5m, 3h, 2d.
func short(d time.Duration) string {
	d = max(d, 0)
	for _, u := range units {
		if d >= u.size {
			return fmt.Sprintf("%d%c", d/u.size, u.name[0])
		}
	}
	return "0s"
}

var units = []struct {
	size time.Duration
	name string
}{
	{24 * time.Hour, "day"},
	{time.Hour, "hour"},
	{time.Minute, "minute"},
	{time.Second, "second"},
}

func span(d time.Duration) string {
	for _, u := range units {
		if d >= u.size {
			return plural(int(d/u.size), u.name)
		}
	}
	return "0 seconds"
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
