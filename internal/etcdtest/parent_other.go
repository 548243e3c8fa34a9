//go:build !linux

package etcdtest

import "syscall"

// endsWithParent does what it can: nothing here ends a child with its parent.
func endsWithParent() *syscall.SysProcAttr { return nil }
