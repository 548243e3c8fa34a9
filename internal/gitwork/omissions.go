package gitwork

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// Omission is something that was met and not kept.
type Omission struct {
	What    string `json:"what"`
	Why     string `json:"why"`
	Count   int    `json:"count"`
	Example string `json:"example"` // the first path
}

func (c *capture) omit(what, why, path string) {
	for i := range c.result.OutOfScope {
		if o := &c.result.OutOfScope[i]; o.What == what {
			o.Count++
			return
		}
	}
	c.result.OutOfScope = append(c.result.OutOfScope, Omission{what, why, 1, path})
}

// omitAttributes notes what a file has beside its content.
func (c *capture) omitAttributes(e entry, full string) {
	if e.isRegular() && e.links > 1 {
		c.omit("hard links", "each name is restored as a file of its own", e.path)
	}
	if e.Mtime == earliest || e.Mtime == latest {
		c.omit("times before 1678 or after 2262", "the nearest that can be written down stands for them", e.path)
	}
	if e.uid != uint32(os.Geteuid()) {
		c.omit("owners", "who restores may not be allowed to set them", e.path)
	}
	if (e.isRegular() || e.isDir()) && hasAttributes(full) {
		c.omit("extended attributes and access control lists", "they depend on the file system", e.path)
	}
}

// hasAttributes reports whether a file has extended attributes that somebody gave it; the security modules' own are
// on every file.
func hasAttributes(path string) bool {
	var names [1 << 10]byte
	n, err := unix.Llistxattr(path, names[:])
	if err == unix.ERANGE {
		return true
	}
	if err != nil || n <= 0 {
		return false
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00") {
		if !strings.HasPrefix(name, "security.") {
			return true
		}
	}
	return false
}
