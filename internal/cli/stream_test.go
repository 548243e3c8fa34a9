package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that shares a pipe or a terminal with us, as Node does, makes its writes fail
// where they would wait: for everybody, and whenever it likes.
func TestAFullPipeIsWaitedFor(t *testing.T) {
	for when, nonblocking := range map[string]struct{ before, after bool }{
		"never":      {false, false},
		"from start": {true, true},
		"meanwhile":  {false, true},
		"no more":    {true, false},
	} {
		t.Run(when, func(t *testing.T) {
			r, w, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()
			fd, err := syscall.Dup(int(w.Fd())) // what Fd returns blocks
			require.NoError(t, err)
			require.NoError(t, syscall.SetNonblock(fd, nonblocking.before))
			s := &stream{file: os.NewFile(uintptr(fd), "shared")}
			require.NoError(t, syscall.SetNonblock(fd, nonblocking.after))

			want := bytes.Repeat([]byte("0123456789abcdef"), 16<<10) // more than a pipe takes
			sent := make(chan error, 1)
			go func() {
				_, err := s.Write(want)
				sent <- errors.Join(err, s.file.Close(), w.Close()) // the reader sees the end
			}()
			got, err := io.ReadAll(r)
			require.NoError(t, err)
			require.NoError(t, <-sent)
			require.True(t, bytes.Equal(want, got))
		})
	}
}
