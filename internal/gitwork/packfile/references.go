package packfile

import (
	"bytes"
	"encoding/hex"
)

// references calls found with the name of each object that an object must have beside it, and stops when found
// returns false. Commits of submodules are another repository's.
func references(f Format, kind int, content []byte, found func(name []byte, parent bool) bool) error {
	switch kind {
	case typeTree:
		return treeReferences(f, content, found)
	case typeCommit, typeTag:
		return headReferences(f, content, found)
	}
	return nil
}

var gitlinkMode = []byte("160000 ")

func treeReferences(f Format, b []byte, found func([]byte, bool) bool) error {
	for len(b) > 0 {
		end := bytes.IndexByte(b, 0)
		if end < 0 || len(b) < end+1+f.Size {
			return corrupt("tree is cut short")
		}
		name := b[end+1 : end+1+f.Size]
		if !bytes.HasPrefix(b, gitlinkMode) && !found(name, false) {
			return nil
		}
		b = b[end+1+f.Size:]
	}
	return nil
}

// headReferences reads the header lines of a commit or tag.
func headReferences(f Format, b []byte, found func([]byte, bool) bool) error {
	name := make([]byte, f.Size)
	for {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		word, value, _ := bytes.Cut(line, []byte(" "))
		parent := string(word) == "parent"
		if !parent && string(word) != "tree" && string(word) != "object" {
			return nil
		}
		if n, err := hex.Decode(name, value[:min(len(value), 2*f.Size)]); err != nil || n != f.Size {
			return corrupt("bad %s line", word)
		}
		if !found(name, parent) {
			return nil
		}
		b = rest
	}
}
