package admin

import (
	"fmt"
	"strconv"
	"strings"

	"holdfast/admin/evidence"
	"holdfast/lease"
	"holdfast/ownership"
)

// nextOf returns the commands that can be typed in the state that was found, the
// most useful first. Each works as it stands.
func nextOf(i lease.Inspection) []lease.Next {
	switch i.State {
	case ownership.StateHeld:
		return nextHeld(i)
	case ownership.StateStranded:
		return offer(i, 0)
	case ownership.StateUnproven:
		return append([]lease.Next{LookAgain(i, whatWouldProve(i))}, offer(i, AcceptUnproven)...)
	case ownership.StateUnreadable:
		return nextUnreadable(i)
	default:
		return []lease.Next{listAll}
	}
}

var listAll = lease.Next{Why: "see every session", Argv: []string{"session", "list"}}

func LookAgain(i lease.Inspection, why string) lease.Next {
	return lease.Next{Why: why, Argv: append([]string{"session", "inspect"}, address(i)...)}
}

func nextHeld(i lease.Inspection) []lease.Next {
	next := []lease.Next{LookAgain(i, "see who holds it")}
	next = append(next, stop(i.Liveness.Holders)...)
	if i.Liveness.Held == ownership.KinLock {
		next = append(next, nextSurvivors(i)...)
	}
	return append(next, listAll)
}

// stop offers to ask each holder to end. A holder was found by its lock on this
// host, so its pid is one of this host's.
func stop(holders []ownership.Process) []lease.Next {
	var next []lease.Next
	for _, p := range holders {
		next = append(next, lease.Next{
			Why:          "ask " + strconv.Quote(p.Program) + ", which holds it, to end",
			Argv:         []string{"kill", "-TERM", strconv.Itoa(p.PID)},
			ChangesState: true,
		})
	}
	return next
}

// nextSurvivors offers to recover although the survivors live on, where each of
// them can be named for certain.
func nextSurvivors(i lease.Inspection) []lease.Next {
	refs, ok := refsOf(i.Liveness.Holders)
	if !ok {
		return nil
	}
	r := Recovery{Expect: i.Stored.Revision, Despite: refs}
	why := "see what a recovery would do that lets the survivors live on"
	return []lease.Next{{Why: why, Argv: r.argv(i)}}
}

// refsOf names processes as --despite does, and reports whether that names all of
// them for certain.
func refsOf(holders []ownership.Process) ([]ProcessRef, bool) {
	var refs []ProcessRef
	for _, p := range holders {
		if p.StartTicks == 0 {
			return nil, false
		}
		refs = append(refs, ProcessRef{p.PID, p.StartTicks})
	}
	return refs, len(refs) > 0
}

func nextUnreadable(i lease.Inspection) []lease.Next {
	if i.Liveness == nil {
		return offer(i, Quarantine)
	}
	next := append([]lease.Next{LookAgain(i, "look again")}, stop(i.Liveness.Holders)...)
	return append(next, listAll)
}

// offer returns the preview of a recovery and the recovery itself.
func offer(i lease.Inspection, consent Consent) []lease.Next {
	r := Recovery{Expect: i.Stored.Revision, Consent: consent}
	return []lease.Next{
		{Why: "see what a forced recovery would do; it changes nothing", Argv: r.argv(i)},
		r.forced(i),
	}
}

// forced returns r as the command that does it.
func (r Recovery) forced(i lease.Inspection) lease.Next {
	r.Consent |= Force
	why := "make the session idle and leave a marker that says what is not known"
	if r.saves(i) {
		r, why = r.saving(i, why)
	}
	return lease.Next{Why: why, Argv: r.argv(i), ChangesState: true}
}

// saving goes without a snapshot where it is plain that there can be none, and says so.
func (r Recovery) saving(i lease.Inspection, why string) (Recovery, string) {
	if i.Record == nil {
		return r, why
	}
	if err := evidence.Keepable(i.Record.Session); err != nil {
		r.Snapshot = SnapshotSkip
		return r, fmt.Sprintf("%s, and save nothing, since %v", why, err)
	}
	return r, "save the work in a snapshot, then " + why
}

// argv returns r as it is typed.
func (r Recovery) argv(i lease.Inspection) []string {
	argv := append([]string{"session", "recover"}, address(i)...)
	argv = append(argv, "--expect", r.Expect.String())
	if len(r.Despite) > 0 {
		argv = append(argv, "--despite", joinRefs(r.Despite))
	}
	argv = append(argv, r.Consent.flags()...)
	return append(append(argv, r.saveFlags()...), r.says()...)
}

func (r Recovery) saveFlags() (flags []string) {
	if r.Snapshot == SnapshotSkip {
		return []string{"--no-snapshot"}
	}
	if r.Saving.Dir != "" {
		flags = append(flags, "--snapshot", r.Saving.Dir)
	}
	if words := r.Saving.Accept.Words(); len(words) > 0 {
		flags = append(flags, "--accept", strings.Join(words, ","))
	}
	return flags
}

func joinRefs(refs []ProcessRef) string {
	words := make([]string, len(refs))
	for n, p := range refs {
		words[n] = p.String()
	}
	return strings.Join(words, ",")
}

func (c Consent) flags() []string {
	var flags []string
	for _, f := range []struct {
		consent Consent
		flag    string
	}{{AcceptUnproven, "--accept-unproven"}, {Quarantine, "--quarantine"}, {Force, "--force"}} {
		if c.Has(f.consent) {
			flags = append(flags, f.flag)
		}
	}
	return flags
}

// says returns the words that go into the marker. They are joined to their flags,
// since they may begin with a dash.
func (r Recovery) says() []string {
	var words []string
	if r.Actor != "" {
		words = append(words, "--actor="+r.Actor)
	}
	if r.Reason != "" {
		words = append(words, "--reason="+r.Reason)
	}
	return words
}

// namesWork reports whether the record names something that a snapshot would keep.
func namesWork(i lease.Inspection) bool {
	return i.Record != nil && (i.Record.Session.Worktree != nil || i.Record.Session.Tracker != nil)
}

// whatWouldProve says what keeps the owner from being proved gone.
func whatWouldProve(i lease.Inspection) string {
	var open []string
	for _, e := range i.Liveness.Evidence {
		if e.Finding != ownership.Absent {
			open = append(open, e.Detail)
		}
	}
	return "look again, on the owner's host " + strconv.Quote(i.Record.Owner.Host) + ", when one of these has changed: " + strings.Join(open, "; ")
}
