package tmux

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// View is what one pane of a session shows now.
type View struct {
	Place   string // window.pane
	PID     int    // of the process that was started in it
	Program string // what runs in its foreground, as tmux names it
	Screen  string // the visible lines, without trailing space
	Cursor  int    // the cursor's line in Screen, from 0
}

const viewFormat = "#{pane_id} #{window_index}.#{pane_index} #{pane_pid} #{cursor_y} #{pane_dead} #{pane_current_command}"

// Views returns what the panes show of the session of exactly this name whose processes have not ended. It is addressed as
// [Screen] does it.
func Views(ctx context.Context, session string) ([]View, error) {
	at, id, err := find(ctx, session)
	if err != nil {
		return nil, err
	}
	out, err := at.command(ctx, "list-panes", "-s", "-t", id, "-F", viewFormat)
	if err != nil {
		return nil, err
	}
	var views []View
	for line := range strings.Lines(string(out)) {
		paneID, p, dead, err := parseView(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		if dead {
			continue
		}
		text, err := at.command(ctx, "capture-pane", "-p", "-t", paneID)
		if err != nil {
			return nil, err
		}
		p.Screen = strings.TrimRight(string(text), " \n")
		views = append(views, p)
	}
	return views, nil
}

func parseView(line string) (id string, p View, dead bool, err error) {
	words := strings.SplitN(line, " ", 6)
	if len(words) < 6 || !strings.HasPrefix(words[0], "%") || !isID(words[0]) {
		return "", View{}, false, fmt.Errorf("unexpected answer %q", line)
	}
	p = View{Place: words[1], Program: words[5]}
	if p.PID, err = strconv.Atoi(words[2]); err == nil {
		p.Cursor, err = strconv.Atoi(words[3])
	}
	if err != nil {
		return "", View{}, false, fmt.Errorf("unexpected answer %q", line)
	}
	return words[0], p, words[4] == "1", nil
}
