//go:build amd64 || arm64

package preempt

import "golang.org/x/sys/unix"

// calls are the names of those that a store is made of, and of those that look at it.
// Missing are those that change nothing and show nothing that another process can
// change, like lseek: to stop after one is to stop before it.
var calls = map[uint64]string{
	unix.SYS_OPENAT: "openat", unix.SYS_CLOSE: "close", unix.SYS_READ: "read", unix.SYS_PREAD64: "pread64",
	unix.SYS_WRITE: "write", unix.SYS_PWRITE64: "pwrite64", unix.SYS_FTRUNCATE: "ftruncate", unix.SYS_FALLOCATE: "fallocate",
	unix.SYS_FSYNC: "fsync", unix.SYS_FDATASYNC: "fdatasync", unix.SYS_FLOCK: "flock",
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_LINKAT: "linkat", unix.SYS_UNLINKAT: "unlinkat",
	unix.SYS_MKDIRAT: "mkdirat", unix.SYS_GETDENTS64: "getdents64", unix.SYS_READLINKAT: "readlinkat",
	unix.SYS_NEWFSTATAT: "newfstatat", unix.SYS_FSTAT: "fstat", unix.SYS_STATX: "statx",
	unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat", unix.SYS_FCHMODAT2: "fchmodat2",
	unix.SYS_STATFS: "statfs", unix.SYS_FSTATFS: "fstatfs", unix.SYS_FACCESSAT: "faccessat", unix.SYS_FACCESSAT2: "faccessat2",
}
