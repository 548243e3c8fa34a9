package main

import (
	"fmt"
	"os"
	"strings"
)

// The table stands between these lines.
const (
	tableBegins = "<!-- speed -->\n"
	tableEnds   = "<!-- /speed -->\n"
)

// splice puts text between the marks of a file.
func splice(path, text string) error {
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(b), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		return fmt.Errorf("%s has no lines %q and %q with the table between them", path, strings.TrimSpace(tableBegins), strings.TrimSpace(tableEnds))
	}
	return os.WriteFile(path, []byte(before+tableBegins+text+tableEnds+after), 0o644)
}
