// Package plan proposes what can be done about a session, command by command, and does what a person approves.
//
// # Vocabulary
//
// A [Plan] is made of one revision of a session and of a snapshot of its work. It has items, each with the steps that a
// person would type, why, how each is taken back, and a [Gate]; and what is withheld, with the reason. Targets are the
// processes that an item stops. A [Approval] names items of a plan; [Apply] carries out those.
//
// # Guarantees
//
// Nothing is done that was not approved by its id, and what cannot be taken back is approved alone. What is done is
// derived afresh from the session and only compared with the plan: no word of a plan file, and none of a record but
// paths and names, is ever executed. A plan whose revision moved, or of which an approved item would not be proposed
// today, is refused and nothing is done (I8). Approval and result of each item are in the store's archive, the approval
// before anything is done. Where the worker wrote since the plan was made, another snapshot is taken first. A step that
// fails stops the rest.
//
// A signal reaches exactly a process that the plan names and that is still the session's worker, or nobody. A worktree
// is removed only while nobody can acquire the session, out of a verified snapshot that leaves out nothing.
//
// Applying a plan again after a kill at any point does what is left of it: what is in force already is not done twice.
// Of what was typed and what a tracker was told only the archive knows: it is begun once for a plan, also by two who
// apply it at once, and again only where a tracker's command that can be taken back has failed.
//
// # Non-guarantees
//
// Whether a worker hangs is for a person to judge. A process that the worker starts after it was looked for is not
// stopped; the next plan names it. A snapshot that a person keeps elsewhere is not known here.
package plan
