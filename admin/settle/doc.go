// Package settle decides what an execution achieved whose agent can no longer be
// asked.
//
// # Vocabulary
//
// An [Execution] is one acquisition of a session that has ended; its [Place] says
// which. A [Verdict] is what an orchestrator decided about it, stored beside the
// record. A [Signal] is the agent's own last word in its transcript. An [Outcome] is
// what follows from both, who decided it, and what was ignored on the way.
//
// # Guarantees
//
// The first line that applies decides:
//
//  1. a fresh verdict done, failed, skipped or timed_out: that, whatever the agent said
//  2. a fresh verdict pending: requeued, for its reason
//  3. one signal among the last lines of a fresh transcript: what it says; but not
//     TASK_DONE where a fresh verdict says in_progress for review_pending
//  4. otherwise: requeued
//
// Two different signals contradict each other, and neither is adopted. Silence is not
// success. A verdict is fresh if it is of this very execution and was not written
// before the acquisition; a transcript, if it was not last written before it. What is
// ignored is noted, and so is a verdict that cannot be used (I12). The time of an
// outcome is when the agent stopped writing, never the time at which it was settled.
//
// [Settle] and [SettleByVerdict] are pure and persist nothing. [Gather] reads a store
// and a transcript and changes neither (I8); nothing that stands in the place of a
// transcript or a verdict is followed or waited for.
//
// # Non-guarantees
//
// An outcome is what somebody said, not what is in the worktree. Links above a
// transcript, in its directories, are followed as by every program. Freshness rests on
// clocks: where one was set back, or a file system dates writes by a coarse clock, what
// is fresh can count as old, which leads to running again and never to a false
// success. A verdict in time by its own word is believed. In a transcript that goes on
// where an earlier execution ended, the last lines may still hold the word of that one:
// whoever writes it begins it anew.
package settle
