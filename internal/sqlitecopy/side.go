package sqlitecopy

// side is one of the files that make up a database.
type side int

const (
	db side = iota
	wal
	journal
	shm
	sides = iota
)

// kept are the sides of a raw copy, in the order in which they are copied. The index of the log is never one of them:
// SQLite makes it anew, and believes what it finds in it.
var kept = [...]side{db, wal, journal}

func (s side) of(path string) string { return path + [sides]string{"", "-wal", "-journal", "-shm"}[s] }
