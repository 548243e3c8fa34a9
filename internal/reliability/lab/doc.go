// Package lab has what the lanes share: workloads on prepared stores, the tools that
// interfere with them, and what is done with a store afterwards.
//
// # Vocabulary
//
// A [Workload] is one command line on a kind of store. A [Scene] is such a store,
// prepared once and copied for every round. An [Outcome] is what its user saw. The
// aftercare of a store is what a person would do next: look, recover, use, prune.
//
// # Guarantees
//
// [Scene.Judge] finds a store wrong if package check does, if what its user saw is not
// the truth, or if the aftercare does not get through. [Scene.Trace] refuses a workload
// that changes its store where whoever follows its main thread does not see it.
//
// # Non-guarantees
//
// The aftercare uses the code under test; only package check is independent of it.
package lab
