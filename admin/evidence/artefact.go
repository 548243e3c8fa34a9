package evidence

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"

	"holdfast/internal/plainfile"
)

// maxArtefact is the largest size of what [Artefact] reads in bytes.
const maxArtefact = 16 << 20

// Artefact reads a small file of the snapshot in dir whose manifest has a hash. What it returns is what that manifest
// says, whatever is in the directory by now; an error that wraps ErrDiffers says that it is not.
func Artefact(dir, manifest, name string) ([]byte, error) {
	all, sum, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if sum != manifest {
		return nil, fmt.Errorf("%q: %w: its manifest is another", dir, ErrDiffers)
	}
	for _, e := range all {
		if e.name == name {
			return e.read(dir)
		}
	}
	return nil, fmt.Errorf("%q: %w: its manifest names no %q", dir, ErrDiffers, name)
}

func (e entry) read(dir string) ([]byte, error) {
	f, err := plainfile.Open(filepath.Join(dir, filepath.FromSlash(e.name)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxArtefact+1))
	if err != nil || len(b) > maxArtefact {
		return nil, cmp.Or(err, fmt.Errorf("%q: %q is larger than %d bytes", dir, e.name, maxArtefact))
	}
	if hash := sha256.Sum256(b); hex.EncodeToString(hash[:]) != e.sha256 {
		return nil, fmt.Errorf("%q: %w: the content of %q is not what the manifest says", dir, ErrDiffers, e.name)
	}
	return b, nil
}
