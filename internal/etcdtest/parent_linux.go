package etcdtest

import "syscall"

// endsWithParent leaves no server behind when a test is killed.
func endsWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
