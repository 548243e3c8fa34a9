// Package supervise is the process half of `session run`: it starts one
// command, passes on to it what was meant for it, and proves afterwards that
// nothing the command started is left. It knows nothing of stores, records or
// leases.
//
// # Vocabulary
//
// CMD is the command; the wrapper is this process. A descendant is CMD or
// anything started by it or below it, daemonised or not. CMD's group is the
// process group CMD was started in, and the one CMD may have made of itself
// (job-control shells do). A request to end is a signal that asks the wrapper
// to finish: HUP, INT, QUIT or TERM. While CMD runs on a terminal, INT and QUIT
// are none, because the terminal has sent them to CMD as well.
//
// # Guarantees
//
//   - Nothing is started by any way but [Run] and [InFreshChild], and one
//     goroutine, their event loop, both waits for children and signals them. A
//     process that was reaped is therefore never signalled by its old number.
//   - While CMD lives signals are only forwarded. It is killed in one case: the
//     context given to Run ended, which means that ownership is lost.
//   - On Linux [Result.Quiescent] means that wait4 answered ECHILD to a child
//     subreaper: no descendant exists, wherever it went. It is never inferred
//     from a scan of /proc, from a group or from silence.
//   - Processes other than CMD are signalled one by one, through a pidfd whose
//     process was compared with the one that was chosen. A group is signalled
//     as such only while its leader, CMD, is certainly not reaped.
//
// # Non-guarantees
//
//   - A process that CMD asked somebody else to start (a tmux server, systemd,
//     docker) is no descendant. [Command.Pending] is for those.
//   - Of the dispositions inherited as ignored, only those of HUP, INT and the
//     terminal's stop signals reach CMD; Go's runtime takes the others before
//     any of our code runs, and CMD finds them at their default.
//   - Between the fork and the first turn of the event loop a Ctrl-C that the
//     terminal sent before CMD existed may be taken for one that CMD saw too.
//   - With a transcript on a terminal CMD's stdout and stderr are another
//     terminal than its stdin: modes set through them do not reach the real one,
//     and a shell that takes stderr for its controlling terminal (bash does) has
//     no job control of its own.
//   - Elsewhere than on Linux there is no subreaper: quiescence is then only
//     that CMD's children and its process group are gone, and the proof says so.
package supervise
