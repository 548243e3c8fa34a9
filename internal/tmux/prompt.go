package tmux

import "strings"

// lastLines is how many lines with text above the end of a screen can hold a prompt: some programs draw hints below it.
const lastLines = 8

// Prompt returns the line at which a pane seems to wait for a person. It is a guess from what is shown: a line that ends
// where the cursor is with a sign that prompts end with, a box with such a sign in it, or a question. A screen that
// offers to interrupt what goes on is not waiting, whatever else it shows. Of the same screen at two moments the caller
// knows more than from one.
func (p View) Prompt() (line string, waits bool) {
	lines := strings.Split(p.Screen, "\n")
	shown := lastOf(lines)
	for _, l := range shown {
		if containsAny(strings.ToLower(l), "to interrupt", "to stop") {
			return "", false
		}
	}
	if p.Cursor < len(lines) && endsLikePrompt(bare(lines[p.Cursor])) {
		return bare(lines[p.Cursor]), true
	}
	for _, l := range shown {
		if l = bare(l); boxed(l) || asks(l) {
			return l, true
		}
	}
	return "", false
}

// lastOf returns the last lines that have text.
func lastOf(lines []string) (last []string) {
	for n := len(lines) - 1; n >= 0 && len(last) < lastLines; n-- {
		if bare(lines[n]) != "" {
			last = append(last, lines[n])
		}
	}
	return last
}

// bare takes away the frame that many programs draw around their input.
func bare(line string) string {
	return strings.Trim(line, " \t\u00a0│┃|║╭╮╰╯─━┌┐└┘")
}

func endsLikePrompt(line string) bool {
	for _, sign := range []string{"$", "#", ">", "❯", "›", "»", "?", ":"} {
		if strings.HasSuffix(line, sign) {
			return true
		}
	}
	return false
}

// boxed holds for an input line that begins with its sign, with or without something typed behind it.
func boxed(line string) bool {
	for _, sign := range []string{">", "❯", "›"} {
		if line == sign || strings.HasPrefix(line, sign+" ") || strings.HasPrefix(line, sign+"\u00a0") {
			return true
		}
	}
	return false
}

func asks(line string) bool {
	return containsAny(strings.ToLower(line), "[y/n]", "(y/n)", "(yes/no)", "do you want to ", "press enter", "press any key")
}

func containsAny(s string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// shells are programs that are back when an agent has ended.
var shells = []string{"sh", "bash", "zsh", "fish", "dash", "ksh", "ash", "tcsh", "csh", "nu"}

// AtShell reports whether a shell leads the pane's foreground; what it has started may be there too.
func (p View) AtShell() bool {
	for _, shell := range shells {
		if strings.TrimPrefix(p.Program, "-") == shell {
			return true
		}
	}
	return false
}
