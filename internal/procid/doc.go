// Package procid says who a process is, whether exactly that process still exists, and which processes hold a lock.
//
// Vocabulary. A process is named by its pid namespace, its pid and its start ticks (the kernel's clock ticks between
// boot and its start); a pid alone names nothing. A scan is one pass over /proc. An operation id is the value of
// SESSION_OPERATION_ID in the environment with which a process was started.
//
// Guarantees. "Could not tell" is an error and never a no. Nothing here sends a signal, signal 0 included. No argument
// of a program and no environment variable but SESSION_OPERATION_ID is kept or returned. Thread ids are not processes,
// zombies are dead, and a process whose first thread has ended lives on in the others.
//
// Non-guarantees. An environment without an operation id proves nothing: a program may be started without it or write
// over it. A lock can be held by no process that Holders lists: its descriptor may be in flight through a socket, in
// the private table of one thread, or with a process of a pid namespace outside ours. Start ticks are read through our
// time namespace, and differ in another one whose boot clock is offset (unshare --boottime). Elsewhere than on Linux
// the package builds and answers errors.ErrUnsupported.
package procid
