package durable

import "strings"

// sharingDir is a directory whose waits for the disk are shared with those of others, as
// are those of the files that it creates.
type sharingDir struct {
	Dir
	rounds *Rounds
}

func (d *sharingDir) Sync() error { return d.rounds.sync(d.Dir.Sync) }

// Create leaves alone what is in a directory below, which may be another file system's.
func (d *sharingDir) Create(name string) (File, error) {
	f, err := d.Dir.Create(name)
	if err != nil || strings.Contains(name, "/") {
		return f, err
	}
	return &sharingFile{f, d.rounds}, nil
}

func (d *sharingDir) OpenDir(name string) (Dir, error) {
	sub, err := d.Dir.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return d.rounds.Dir(sub), nil
}

type sharingFile struct {
	File
	rounds *Rounds
}

func (f *sharingFile) Sync() error { return f.rounds.sync(f.File.Sync) }
