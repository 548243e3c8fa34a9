// Package preempt stops a process after each of its system calls, has another one do
// something to its end, and lets the first go on.
//
// A schedule is a workload, one of its calls, and what the other does. One preemption is
// what most races need; every one of them is tried.
package preempt
