// Package faults makes system calls fail, in every way that they fail in the field, and
// holds the command to what it then says.
//
// An error is injected by strace: the call is not done, on the main thread by its number,
// on others, which only look, by what it is about. A lie is told through the
// store's own seam: the call is done and answered with an error. A short write is what
// a limit on the size of files makes of one. And while an error is being cleaned up
// after, the process is killed.
package faults
