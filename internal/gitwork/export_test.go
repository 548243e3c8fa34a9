package gitwork

// ComposeFrom makes captures write their packs themselves from that many bytes of loose objects on. It returns what
// undoes it.
func ComposeFrom(bytes int64) func() {
	was := composedFrom
	composedFrom = bytes
	return func() { composedFrom = was }
}
