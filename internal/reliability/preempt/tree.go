package preempt

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
)

// treeOf describes everything below a directory that a change would change.
func treeOf(dir string) string {
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.Sys().(*syscall.Stat_t).Ino, info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	return b.String()
}
