package evidence

import (
	"fmt"
	"strings"

	"holdfast/internal/gitwork"
)

// readme says how to use a snapshot without us. The script comes last, so that it can be cut off.
func readme(s Snapshot) string {
	var b strings.Builder
	fmt.Fprintf(&b, readmeHead, s.KeyDigest, s.TakenAt)
	if s.Tracker != nil {
		b.WriteString(readmeTracker)
	}
	if s.Git != nil {
		b.WriteString(readmeGit)
		b.WriteString(gitwork.HandScript)
	}
	return b.String()
}

const readmeHead = `Evidence of the session with the key digest
%s, taken %s.

snapshot.json says what was kept, what moved meanwhile and what is missing.
record.json has the bytes of the ownership record, liveness.json what was known
of its owner, processes.txt who held its locks or carried its environment,
screen.txt what its terminal showed, transcript.tail the end of its transcript.

TO VERIFY
    sha256sum -c MANIFEST.sha256
in this directory. Nothing may be here that the manifest does not name. With the
tool: session snapshot verify DIR
`

const readmeTracker = `
TO RESTORE THE TRACKER
tracker/db.sqlite is an SQLite database of one file: copy it to its place while
nothing uses it. Look first:
    sqlite3 tracker/db.sqlite 'PRAGMA integrity_check'
tracker/raw has the bytes as they were. Never open those: copy all of tracker/raw
elsewhere and open the copy, in which SQLite applies the log or journal beside it:
    cp -r tracker/raw COPY; sqlite3 COPY/db .dump
`

const readmeGit = `
TO RESTORE THE REPOSITORY
With the tool, which compares everything afterwards:
    session snapshot restore DIR --into NEW
By hand, with git, tar and zstd, as the directory NEW:
    sed -n '/^# sh restore.sh/,$p' README.txt > /tmp/restore.sh
    sh /tmp/restore.sh DIR NEW
Modes and times of all files are in git/worktree.jsonl. git/hooks.tar.zst and
git/config are as they were, and are not installed: read them before you do.
git/history.bundle can be cloned or fetched from like any repository.
git/staged.patch, git/unstaged.patch and git/*.txt are for reading.

`
