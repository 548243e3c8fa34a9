package preempt

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/reliability/actor"
	"holdfast/internal/reliability/check"
	"holdfast/internal/reliability/lab"
	"holdfast/ownership"
)

// others are what another process does meanwhile, and lookers those of them that change
// nothing. History archives what it has told.
var (
	others  = []string{"acquire", release, die, "recover", "prune", "history"}
	lookers = []string{"inspect", "list"}
)

// answer is what the other process was told.
type answer struct {
	exit   int
	stdout []byte
	stderr string
}

func ask(ctx context.Context, store string, args ...string) answer {
	cmd := actor.Command(ctx, store, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	_ = cmd.Run()
	return answer{cmd.ProcessState.ExitCode(), out.Bytes(), said.String()}
}

// arguments returns the command line of another process, on the store as it is now.
func arguments(other, store, told string) []string {
	switch other {
	case "acquire":
		return []string{"run", "--no-worktree", lab.Key, "--", "sh", "-c", `echo $SESSION_REVISION > "$0"`, told}
	case "recover":
		b, _ := os.ReadFile(recordPath(store)) // nothing there is a revision too
		return []string{
			"recover", lab.Key, "--expect", ownership.RevisionOf(b).String(),
			"--force", "--accept-unproven", "--quarantine", "--no-snapshot", "--reason", "meanwhile",
		}
	case "prune":
		return []string{"prune", "--older-than", "0s"}
	case "list":
		return []string{"list", "--json"}
	}
	return []string{other, lab.Key, "--json"}
}

func recordPath(store string) string {
	return filepath.Join(store, "sessions", lab.Digest.String(), "record.json")
}

// meanwhile does what another process does, notes in h what it was told, and returns
// what is wrong with its answer.
func meanwhile(ctx context.Context, s *lab.Scene, other string, r lab.Run, h check.History) (wrong []string) {
	told := filepath.Join(filepath.Dir(r.Dir), "other-told")
	before, _ := os.ReadFile(recordPath(r.Dir))
	a := ask(ctx, r.Dir, arguments(other, r.Dir, told)...)
	session := h.Of(lab.Digest)
	if noted, ok := (lab.Outcome{Told: told}).Revision(); ok {
		session.Told = append(session.Told, noted)
	}
	after, err := os.ReadFile(recordPath(r.Dir))
	if err == nil && !bytes.Equal(before, after) {
		// The first one stands still: this is the other's.
		session.Damaged = false
		session.Told = append(session.Told, ownership.RevisionOf(after))
	}
	if !slices.Contains([]int{0, 65, 69, 75, 76, 78, 79, 84}, a.exit) {
		wrong = append(wrong, fmt.Sprintf("%s meanwhile exits with %d: %s", other, a.exit, a.stderr))
	}
	reads := other == "inspect" || other == "list" || other == "history" || other == "prune"
	if (reads || a.exit != 0) && !bytes.Equal(before, after) {
		wrong = append(wrong, fmt.Sprintf("%s meanwhile exits with %d and changed the record: %s", other, a.exit, a.stderr))
	}
	if s.Owns() && s.Unowned() {
		wrong = append(wrong, seesTheOwner(other, a)...)
	}
	return wrong
}

// seesTheOwner holds that an owner who stands still is never taken for a dead one: I4,
// I7.
func seesTheOwner(other string, a answer) (wrong []string) {
	var seen struct {
		State    string
		Liveness *ownership.Liveness
	}
	switch {
	case other == "inspect" && json.Unmarshal(a.stdout, &seen) == nil:
		if !slices.Contains([]string{"vacant", "idle", "held"}, seen.State) {
			wrong = append(wrong, "a living owner is seen as "+seen.State)
		}
		if seen.State == "held" && seen.Liveness.Evidence[0].Finding != ownership.Present {
			wrong = append(wrong, "the life lock of a living owner is free")
		}
	case other == "recover" && a.exit == 0:
		wrong = append(wrong, "a living owner was recovered from: "+strings.TrimSpace(string(a.stdout)))
	case a.exit == 76:
		wrong = append(wrong, other+" meanwhile is told that a living owner needs recovery: "+a.stderr)
	}
	return wrong
}
