package journal_test

import "golang.org/x/sys/unix"

// makeFIFO makes a pipe, whose plain opening would wait for a writer.
func makeFIFO(path string) error { return unix.Mkfifo(path, 0o600) }
