// Package ownership holds the words, the record and the decisions of Holdfast:
// who owns an agent's session, whether that owner is still there, and whether it
// proved that it stopped. It is pure: values in, values out.
//
// # Vocabulary
//
// A session is named by a [Key]; only the [Digest] of the key reaches a disk. Its
// one [Record] says who owns it. The [Revision] of a record is the hash of its
// exact bytes, and its [Generation], which only grows, is the fencing token.
// [Liveness] is what could be found out about the owner, with the evidence; [State]
// is what [Judge] makes of record and liveness together.
//
// # Guarantees
//
// The invariants, cited by number where they are upheld and where they are tested:
//
//   - I1: A record has exactly one valid encoding. Any other bytes are unreadable:
//     never guessed at, repaired or overwritten.
//   - I2: The generation of a key only grows, across release, recovery, quarantine
//     and pruning.
//   - I3: A record of generation G is written only by whoever holds life lock G.
//   - I4: Life lock G is held before generation G is published, so a fresh owner
//     never looks dead.
//   - I5: "active" is durable before any work starts; "idle" by acknowledgement only
//     after quiescence. Everything else stays active.
//   - I6: Ownership changes in three ways only: acquire from vacant or idle, release
//     by the owner, forced recovery of the exact revision. Each is a
//     compare-and-publish, atomic against all others.
//   - I7: Force never overrides an owner that any probe can see.
//   - I8: A refused, cancelled or previewed operation changes no byte of the store.
//   - I9: An error after the rename is "outcome unknown", reported as such, and
//     treated as "I own nothing". Success means durably published and the answer
//     delivered.
//   - I10: The revision that a refusal advertises is the hash of the bytes the
//     decision was made on; a receipt's revision is the hash of the bytes written.
//   - I11: Every record that was ever published stays readable in history, linked by
//     its previous revision.
//   - I12: What grants authority is parsed strictly; what is only evidence is read
//     tolerantly, and its faults are noted.
//
// # Non-guarantees
//
// Nothing here looks at a clock, a process or a file: a [Liveness] is as good as the
// probe that made it, and a record says what its owner wrote, not what is true now.
package ownership
