package gitwork

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// Where a file's bytes are kept.
const (
	setClean     = "clean"     // in the bundle, under the index's name for them
	setWorktree  = "worktree"  // worktree.tar.zst: tracked and not clean
	setUntracked = "untracked" // untracked.tar.zst: everything else that git does not ignore, directories and links too
	setIgnored   = "ignored"   // ignored.tar.zst
)

// What an item can be.
const (
	typeFile      = "file"
	typeDirectory = "dir"
	typeLink      = "link"
	typeFIFO      = "fifo"
)

// item is a line of worktree.jsonl: all that is known of one name in the working tree. What is not UTF-8 stands in
// base64 in the member whose name ends in 64.
type item struct {
	Path     string `json:"path,omitempty"`
	Path64   []byte `json:"path64,omitempty"`
	Type     string `json:"type"`
	Mode     string `json:"mode"` // permission bits, octal
	Size     int64  `json:"size,omitempty"`
	MtimeNs  int64  `json:"mtimeNs"`
	SHA256   string `json:"sha256,omitempty"`
	OID      string `json:"oid,omitempty"` // of a clean file
	Target   string `json:"target,omitempty"`
	Target64 []byte `json:"target64,omitempty"`
	Set      string `json:"set"`
}

func newItem(path, kind, set string, st stamp) item {
	i := item{Type: kind, Set: set, Mode: fmt.Sprintf("%04o", st.perm()), MtimeNs: st.Mtime}
	i.Path, i.Path64 = asText(path)
	return i
}

func asText(s string) (string, []byte) {
	if utf8.ValidString(s) {
		return s, nil
	}
	return "", []byte(s)
}

func (i item) path() string   { return i.Path + string(i.Path64) }
func (i item) target() string { return i.Target + string(i.Target64) }

func (i item) perm() (uint32, error) {
	var perm uint32
	_, err := fmt.Sscanf(i.Mode, "%o", &perm)
	return perm & 0o7777, err
}

// itemOf says what was kept of a file.
func itemOf(path, set string, st stamp, sha256 string) item {
	i := newItem(path, typeFile, set, st)
	i.Size, i.SHA256 = st.Size, sha256
	return i
}

// manifest writes worktree.jsonl and clean.z.
type manifest struct {
	items, clean *artefact
	itemsTo      *bufio.Writer
	cleanTo      *bufio.Writer
}

func newManifest(o output) (*manifest, error) {
	items, err := o.create("git/worktree.jsonl")
	if err != nil {
		return nil, err
	}
	clean, err := o.create("git/clean.z")
	if err != nil {
		return nil, items.finish(err)
	}
	return &manifest{items, clean, bufio.NewWriter(items), bufio.NewWriter(clean)}, nil
}

func (m *manifest) add(i item) error {
	if i.Set == setClean {
		m.cleanTo.WriteString(i.path() + "\x00")
	}
	line, err := json.Marshal(i)
	if err == nil {
		_, err = m.itemsTo.Write(append(line, '\n'))
	}
	return err
}

func (m *manifest) finish(err error) error {
	err = errors.Join(err, m.itemsTo.Flush(), m.cleanTo.Flush())
	return errors.Join(m.items.finish(err), m.clean.finish(err))
}

// readManifest calls do with every item of a worktree.jsonl, in order. Every path is checked to stay inside.
func readManifest(file string, do func(item) error) error {
	f, err := os.Open(file)
	if err != nil {
		return badEvidence(file, "%v", err)
	}
	defer f.Close()
	d := json.NewDecoder(bufio.NewReader(f))
	for {
		var i item
		err := d.Decode(&i)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = i.check()
		}
		if err != nil {
			return badEvidence(file, "%v", err)
		}
		if err := do(i); err != nil {
			return err
		}
	}
}

func (i item) check() error {
	if !isInside(i.path()) {
		return fmt.Errorf("path %q leads elsewhere", i.path())
	}
	if _, err := i.perm(); err != nil {
		return fmt.Errorf("%q has the mode %q", i.path(), i.Mode)
	}
	if sum, err := hex.DecodeString(i.SHA256); i.Type == typeFile && (err != nil || len(sum) != 32) {
		return fmt.Errorf("%q has no hash", i.path())
	}
	return nil
}
