package evidence

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Uncompressed returns how many bytes the archives of a snapshot have that could have been compressed, and why they are
// not: 0 where they are. It is for a remark, so that what cannot be read is passed over.
func Uncompressed(dir string) (bytes int64, why string) {
	why = whyPlain(filepath.Join(dir, snapshotName))
	if why == "" {
		return 0, ""
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tar.zst") {
			return nil
		}
		if info, err := d.Info(); err == nil {
			bytes += info.Size()
		}
		return nil
	})
	return bytes, why
}

// whyPlain reads why archives are not compressed.
func whyPlain(file string) string {
	var s struct {
		Git struct{ Plain string }
	}
	b, err := os.ReadFile(file)
	if err != nil || json.Unmarshal(b, &s) != nil {
		return ""
	}
	return s.Git.Plain
}
