package lab

import "holdfast/ownership"

// Key is the key of the session of every workload.
const Key = "web/42"

// Digest is the digest of Key.
var Digest = func() ownership.Digest {
	k, err := ownership.ParseKey(Key)
	if err != nil {
		panic(err)
	}
	return k.Digest()
}()

// Workload is one command line on a store that earlier ones prepared.
type Workload struct {
	Name string
	// before prepares the store.
	before []preparation
	// args is the command line; EXPECT and TOLD stand for the revision in force and for the
	// file in which the owned command notes its own.
	args []string
	// Publishes is how many records it publishes at most.
	Publishes int
	// ends is what the session is after success.
	ends ending
	// exits is the exit code where nothing comes in between.
	exits int
	// reads is set where it changes nothing at all.
	reads bool
}

// ending is what a record says after a workload succeeded.
type ending string

const (
	released  ending = "released"
	forced    ending = "forced"
	unchanged ending = "unchanged"
)

// owned is a command line that acquires, notes the revision that it was told and
// releases.
var owned = []string{"run", "--no-worktree", Key, "--", "sh", "-c", `echo $SESSION_REVISION > "$0"`, "TOLD"}

var recovery = []string{"recover", Key, "--expect", "EXPECT", "--force", "--no-snapshot", "--reason", "it was killed"}

// Workloads are what the lanes do harm to.
func Workloads() []Workload {
	return []Workload{
		{Name: "first acquire in a new store, release", args: owned, Publishes: 2, ends: released},
		{Name: "next acquire, release", before: []preparation{cycle}, args: owned, Publishes: 2, ends: released},
		{Name: "first acquire in a known store, release", before: []preparation{other}, args: owned, Publishes: 2, ends: released},
		{Name: "forced recovery", before: []preparation{cycle, strand}, args: recovery, Publishes: 1, ends: forced},
		{Name: "forced recovery of the first owner", before: []preparation{strand}, args: recovery, Publishes: 1, ends: forced},
		{Name: "forced recovery again", before: []preparation{strand, recovered}, args: recovery, Publishes: 1, ends: forced},
		{Name: "quarantine", before: []preparation{cycle, strand, damage}, args: append(recovery[:len(recovery):len(recovery)], "--quarantine"), Publishes: 1, ends: forced},
		{Name: "prune, new archive", before: []preparation{cycle, cycle, strand}, args: []string{"prune", "--older-than", "0s"}, ends: unchanged},
		{Name: "prune, known archive", before: []preparation{cycle, strand, recovered, prune, cycle, strand}, args: []string{"prune", "--older-than", "0s"}, ends: unchanged},
		{Name: "archive", before: []preparation{cycle, cycle, prune, cycle}, args: []string{"history", Key}, ends: unchanged},
		{Name: "verdict", before: []preparation{cycle, strand}, args: []string{"verdict", "set", Key, "--outcome", "done", "--source", "operator"}, ends: unchanged},
		{Name: "refused acquire", before: []preparation{cycle, strand}, args: owned, ends: unchanged, exits: 76},
		{Name: "list", before: []preparation{cycle, other}, args: []string{"list", "--json"}, ends: unchanged, reads: true},
	}
}

func (w Workload) String() string { return w.Name }

// Owns reports whether the workload acquires.
func (s *Scene) Owns() bool { return s.ends == released }

// Unowned reports whether nobody owns the session before the workload.
func (s *Scene) Unowned() bool {
	r, err := ownership.Decode(s.record)
	return s.record == nil || err == nil && r.State == ownership.RecordIdle
}
