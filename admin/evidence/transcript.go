package evidence

import (
	"context"
	"io"
	"io/fs"
	"os"

	"holdfast/internal/plainfile"
)

// TailSize is how many bytes at the end of a transcript are kept.
const TailSize = 1 << 20

// Transcript is what was kept of a transcript.
type Transcript struct {
	Path string `json:"path"`
	Size int64  `json:"size"` // of the whole, in bytes
	Kept int64  `json:"kept"` // bytes at the end, in transcript.tail

	seen fs.FileInfo
}

// keepTranscript writes transcript.tail. A transcript that went meanwhile has moved.
func (t *taking) keepTranscript(context.Context) error {
	if t.transcript == "" {
		return nil
	}
	tell(t.options.Progress, Progress{Step: stepEnd})
	f, err := plainfile.Open(t.transcript)
	if err != nil {
		t.snapshot.Moved = append(t.snapshot.Moved, Moved{t.transcript, err.Error()})
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return &Error{Kind: ErrSource, Path: t.transcript, Err: err, Next: "leave it out, or make it readable"}
	}
	kept := min(info.Size(), TailSize)
	t.snapshot.Transcript = &Transcript{Path: t.transcript, Size: info.Size(), Kept: kept, seen: info}
	return t.copyTail(io.NewSectionReader(f, info.Size()-kept, kept))
}

func (t *taking) copyTail(tail *io.SectionReader) error {
	b, err := io.ReadAll(tail)
	if err != nil {
		return &Error{Kind: ErrSource, Path: t.transcript, Err: err, Next: "leave it out, or repair the disk"}
	}
	t.snapshot.Transcript.Kept = int64(len(b))
	return t.write("transcript.tail", b)
}

func (t *taking) lookAtTranscriptAgain() {
	kept := t.snapshot.Transcript
	if kept == nil {
		return
	}
	now, err := os.Lstat(kept.Path)
	what := ""
	switch {
	case err != nil:
		what = "removed"
	case !os.SameFile(kept.seen, now):
		what = "replaced"
	case kept.seen.Size() != now.Size() || !kept.seen.ModTime().Equal(now.ModTime()) || kept.seen.Mode() != now.Mode():
		what = "written"
	default:
		return
	}
	t.snapshot.Moved = append(t.snapshot.Moved, Moved{kept.Path, what})
}
