// Package halt signals exactly the processes that it is told to, and proves that they have ended.
//
// Vocabulary. A process is named by its pid here and its start ticks, as package procid reads them. A course is a row of
// signals, each followed by a grace in which a process may end by itself.
//
// Guarantees. A signal reaches the named process or none: the kernel's descriptor of whatever has the pid (pidfd) is
// opened first, then that process is compared with the name, then it is signalled through the descriptor, which no later
// process of the same number can get. A process whose start ticks are not known is never signalled. A process counts as
// ended when the kernel says so of that descriptor, or when no process of that name exists; what could not be asked has
// not ended.
//
// Non-guarantees. Nothing keeps a process from starting others: they are not signalled, and not waited for. A process
// that the kernel cannot end at this moment (in an uninterruptible sleep) outlives KILL, and is reported as left.
// Elsewhere than on Linux a process has no lasting name, and everything here is errors.ErrUnsupported.
package halt
