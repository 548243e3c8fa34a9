//go:build !linux

package sqlitecopy

const noAtime = 0 // no such flag here: reading may move access times, which are not part of the evidence
