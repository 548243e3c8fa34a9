package dirstore_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"holdfast/internal/durable"
	"holdfast/internal/storetest"
	"holdfast/lease"
	"holdfast/lease/dirstore"
	"holdfast/ownership"
)

func TestConformance(t *testing.T) {
	t.Parallel() // others wait meanwhile
	storetest.Run(t, func(t *testing.T) storetest.Backend {
		path := filepath.Join(t.TempDir(), "state", "holdfast")
		return storetest.Backend{
			Open: func() lease.Store {
				s, err := dirstore.Open(path, dirstore.Options{})
				require.NoError(t, err)
				return s
			},
			Contents: func() string { return walk(t, filepath.Dir(path), contentOf) },
			Times:    func() string { return walk(t, filepath.Dir(path), timeOf) },
		}
	})
}

// walk has a line for everything below dir, which need not exist.
func walk(t *testing.T, dir string, line func(path string, info fs.FileInfo) (string, error)) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if path == dir && errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what, err := line(path, info)
		fmt.Fprintln(&all, path, info.Mode(), durable.EntryOf(info).ID, what)
		return err
	})
	require.NoError(t, err)
	return all.String()
}

func timeOf(_ string, info fs.FileInfo) (string, error) {
	return info.ModTime().Format(time.RFC3339Nano), nil
}

func contentOf(path string, info fs.FileInfo) (string, error) {
	if !info.Mode().IsRegular() {
		return "", nil
	}
	b, err := os.ReadFile(path)
	return ownership.RevisionOf(b).String(), err
}
