package sqlitecopy

import "golang.org/x/sys/unix"

const noAtime = unix.O_NOATIME
