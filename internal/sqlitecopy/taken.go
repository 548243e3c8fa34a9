package sqlitecopy

// Taken is what a copy found and kept.
type Taken struct {
	Source       string        `json:"source"` // absolute
	Journal      Journal       `json:"journal"`
	Guard        Guard         `json:"guard"`
	Tries        int           `json:"tries"`
	SuperJournal *SuperJournal `json:"superJournal"`
	Integrity    Integrity     `json:"integrity"`
	Form         Form          `json:"form"`
	Before       Check         `json:"before"` // of the private copy, which is the source as it was
	After        *Check        `json:"after"`  // of db.sqlite; nil if there is none
	SQLite       string        `json:"sqlite"` // version that looked at it
	Moved        []Moved       `json:"moved"`  // changed in the source while it was read: somebody uses it
	Notes        []string      `json:"notes"`
	Artefacts    []Artefact    `json:"artefacts"`
}

// Untouched reports whether nothing moved in the source while it was read.
func (t *Taken) Untouched() bool { return len(t.Moved) == 0 }

// Journal is how a database keeps its transactions whole.
type Journal string

// The kinds of journal.
const (
	Rollback   Journal = "rollback"
	WriteAhead Journal = "wal"
)

// Integrity is the result of integrity_check on the private copy of the source.
type Integrity string

// The results.
const (
	Sound       Integrity = "ok"
	Damaged     Integrity = "failed"         // Before has the lines
	Unchecked   Integrity = "unchecked"      // the check needs what only the application has, a collation for instance
	NotDatabase Integrity = "not a database" // garbage, or encrypted
)

// Form says how db.sqlite came about.
type Form string

// The forms.
const (
	Vacuumed   Form = "vacuum" // VACUUM INTO: tables and indexes written afresh
	PageByPage Form = "pages"  // the pages as they were, log or journal applied, since VACUUM could not
	NoForm     Form = "none"   // there is the raw copy only
)

// Check is what integrity_check said.
type Check struct {
	OK    bool     `json:"ok"`
	Lines []string `json:"lines"` // at most 100
}

// Moved names a file of the source that changed while it was read.
type Moved struct {
	Path string `json:"path"`
	What string `json:"what"`
}

// Artefact is a file that a copy wrote.
type Artefact struct {
	Name   string `json:"name"` // relative to the directory given, slash-separated
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // 64 lowercase hex digits
}

// moved lists what changed from one look to a later one.
func moved(path string, before, after look) []Moved {
	list := []Moved{}
	for s := range before {
		if what := change(before[s], after[s]); what != "" {
			list = append(list, Moved{side(s).of(path), what})
		}
	}
	return list
}

func change(before, after stamp) string {
	switch {
	case before == after:
		return ""
	case before.absent():
		return "appeared"
	case after.absent():
		return "went"
	case !before.same(after):
		return "was replaced"
	case before.size != after.size:
		return "changed its size"
	}
	return "was changed"
}
