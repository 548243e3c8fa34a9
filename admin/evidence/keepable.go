package evidence

import (
	"holdfast/internal/gitwork"
	"holdfast/internal/sqlitecopy"
	"holdfast/ownership"
)

// Keepable returns why a snapshot of what a record names would fail, as far as that is known without reading any of it.
func Keepable(s ownership.Session) error {
	if s.Worktree != nil {
		if _, err := gitwork.Locate(*s.Worktree); err != nil {
			return err
		}
		if err := gitwork.Installed(); err != nil {
			return err
		}
	}
	if s.Tracker != nil {
		_, err := sqlitecopy.Size(*s.Tracker)
		return err
	}
	return nil
}
