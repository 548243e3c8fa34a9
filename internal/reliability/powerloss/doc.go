// Package powerloss enumerates what a disk may hold after a power failure, from the
// calls that the real command made.
//
// # Vocabulary
//
// A [step] is a system call as strace saw it. A [disk] is what the steps so far made of
// the files below one directory: what users see, and what is pending. An [image] is
// what may be there after the power failed between two steps. A [model] says which
// images there are:
//
//   - weak: what POSIX promises and no more. Each pending change of a name reached the
//     medium or did not, whatever became of the others; each pending write of bytes did
//     so whole, in part, as zeros or not at all.
//   - ordered: a journal like that of ext4. Changes of names reach the medium in their
//     order, and a sync of anything commits those before it; the bytes of a file that was
//     not synced are there or are not.
//
// # Guarantees
//
// Every image is judged with the history of what was told when the power failed, then
// recovered, used and pruned. Those calls are recorded too, and the power fails again
// between any two of them.
//
// # Non-guarantees
//
// Modes, owners and times are taken to be durable with the name. A disk that lies about
// a sync is not modelled. Where a moment has more images than are looked at, the seed
// chooses among them, and the figures say so.
package powerloss
