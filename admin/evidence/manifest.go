package evidence

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"holdfast/internal/plainfile"
)

// ManifestName is the file that names every other one.
const ManifestName = "MANIFEST.sha256"

const (
	maxManifest = 64 << 20 // bytes; a snapshot has some dozen files for each repository
	hashDigits  = 2 * sha256.Size
)

// writeManifest writes the manifest in the form of sha256sum and returns its hash.
func (t *taking) writeManifest() (string, error) {
	slices.SortFunc(t.entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	f, err := t.create(ManifestName)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	for _, e := range t.entries {
		fmt.Fprintf(&b, "%s  %s\n", e.sha256, e.name)
	}
	_, err = f.Write(b.Bytes())
	e, err := f.finish(err)
	return e.sha256, unwritable(f.Name(), err)
}

// readManifest returns what a manifest names, in its order, and its hash. An error says in words what is wrong with it.
func readManifest(dir string) (all []entry, sum string, err error) {
	f, err := plainfile.Open(filepath.Join(dir, ManifestName))
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err != nil || len(b) > maxManifest {
		return nil, "", cmp.Or(err, fmt.Errorf("larger than %d bytes", maxManifest))
	}
	hash := sha256.Sum256(b)
	all, err = parseManifest(b)
	return all, hex.EncodeToString(hash[:]), err
}

// parseManifest takes what writeManifest writes and nothing else: names that are sorted, and stay inside.
func parseManifest(b []byte) (all []entry, err error) {
	before := ""
	for line := range strings.Lines(string(b)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if _, err := hex.DecodeString(sum); !ok || err != nil || len(sum) != hashDigits || strings.ToLower(sum) != sum {
			return nil, fmt.Errorf("line %d is no line of sha256sum", len(all)+1)
		}
		if !filepath.IsLocal(name) || path.Clean(name) != name || name == ManifestName || name <= before {
			return nil, fmt.Errorf("line %d has the name %q", len(all)+1, name)
		}
		before = name
		all = append(all, entry{name: name, sha256: sum})
	}
	if len(all) == 0 || b[len(b)-1] != '\n' {
		return nil, fmt.Errorf("it is cut off")
	}
	return all, nil
}
