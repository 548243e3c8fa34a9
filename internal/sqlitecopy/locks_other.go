//go:build !linux

package sqlitecopy

import (
	"errors"
	"os"
)

// Without locks of open file descriptions a close elsewhere in the program would silently end a lock of ours.

func (l lock) try(f *os.File) error     { return unsupported(f.Name(), errors.ErrUnsupported) }
func (l lock) release(f *os.File) error { return unsupported(f.Name(), errors.ErrUnsupported) }

func (l lock) holder(*os.File) (pid int, held bool) { return 0, false }
