package gitwork

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
)

// indexFile is what an index names, read without git: git may write objects while it reads an index with sparse
// directories, and touches the ones that it finds there already.
type indexFile struct {
	names []string // of objects, in hex: every stage, and what was there before a conflict was resolved
	trees []string // of those, directories that are not checked out
}

var errIndex = errors.New("not an index")

const (
	indexHeader   = 12
	entryStat     = 40 // what lstat said, before the name of the object
	entryMode     = 24
	extendedFlags = 0x4000
)

// readIndexFiles reads the index, and the one that it rests on if it is split.
func (s *shadow) readIndexFiles() (all indexFile, err error) {
	files, err := filepath.Glob(filepath.Join(globQuote(s.dir), "sharedindex.*"))
	if err != nil {
		return all, err
	}
	for _, file := range append(files, filepath.Join(s.dir, "index")) {
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = all.parse(b, s.format.Size)
		}
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func (x *indexFile) parse(b []byte, hashSize int) error {
	if len(b) < indexHeader+hashSize || string(b[:4]) != "DIRC" {
		return errIndex
	}
	version, count := binary.BigEndian.Uint32(b[4:]), binary.BigEndian.Uint32(b[8:])
	if version < 2 || version > 4 {
		return errIndex
	}
	rest := b[indexHeader : len(b)-hashSize]
	for range count {
		n, err := x.entry(rest, hashSize, version == 4)
		if err != nil {
			return err
		}
		rest = rest[n:]
	}
	return x.extensions(rest, hashSize)
}

// entry reads one entry and returns its length. Paths are passed over.
func (x *indexFile) entry(b []byte, hashSize int, compressed bool) (int, error) {
	at := entryStat + hashSize + 2
	if len(b) < at {
		return 0, errIndex
	}
	name := hex.EncodeToString(b[entryStat : entryStat+hashSize])
	if binary.BigEndian.Uint16(b[at-2:])&extendedFlags != 0 {
		at += 2
	}
	for compressed && at < len(b) && b[at]&0x80 != 0 { // how much of the path before this one is kept
		at++
	}
	if at >= len(b) {
		return 0, errIndex
	}
	if compressed {
		at++
	}
	end := bytes.IndexByte(b[at:], 0)
	length := at + end + 1
	if !compressed {
		length = (at + end + 8) &^ 7
	}
	if end < 0 || length > len(b) {
		return 0, errIndex
	}
	x.add(name, binary.BigEndian.Uint32(b[entryMode:]))
	return length, nil
}

func (x *indexFile) add(name string, mode uint32) {
	switch mode {
	case modeGitlink:
		return // a commit of another repository
	case modeSparse:
		x.trees = append(x.trees, name)
	}
	x.names = append(x.names, name)
}

func (x *indexFile) extensions(b []byte, hashSize int) error {
	for len(b) >= 8 {
		kind, size := string(b[:4]), int64(binary.BigEndian.Uint32(b[4:]))
		if size > int64(len(b)-8) {
			return errIndex
		}
		data := b[8 : 8+size]
		b = b[8+size:]
		if kind == "REUC" {
			if err := x.resolveUndo(data, hashSize); err != nil {
				return err
			}
		}
	}
	return nil
}

// resolveUndo reads, for each path, three modes as text and a name for each that is not 0.
func (x *indexFile) resolveUndo(b []byte, hashSize int) error {
	for len(b) > 0 {
		parts := bytes.SplitN(b, []byte{0}, 5)
		if len(parts) != 5 {
			return errIndex
		}
		b = parts[4]
		for _, text := range parts[1:4] {
			mode, err := strconv.ParseUint(string(text), 8, 32)
			if err != nil || mode != 0 && len(b) < hashSize {
				return errIndex
			}
			if mode != 0 {
				x.add(hex.EncodeToString(b[:hashSize]), uint32(mode))
				b = b[hashSize:]
			}
		}
	}
	return nil
}
