package durable

import "io/fs"

// Call is one system call of a [Dir] or of a [File] that it created.
type Call struct {
	Op   string // the method in lower case, "write" and "fchmod" for files included
	Name string // the name it is about, "." for the directory itself
}

// Interceptor stands between a writer and its directory. It runs apply once, or not
// at all, and returns what the writer is told: counting, tracing and both ways for a
// call to fail, "not done" and "done, but answered with an error".
type Interceptor func(c Call, apply func() error) error

// Intercept returns d with every call going through with.
func Intercept(d Dir, with Interceptor) Dir { return &interceptedDir{d, with} }

type interceptedDir struct {
	d    Dir
	with Interceptor
}

func (i *interceptedDir) Create(name string) (f File, err error) {
	err = i.with(Call{"create", name}, func() error { f, err = i.d.Create(name); return err })
	if err != nil {
		return nil, closeAfter(f, err)
	}
	return &interceptedFile{f, name, i.with}, nil
}

// closeAfter closes the descriptor of a call that was done and answered with an
// error, which nobody else can.
func closeAfter(f File, err error) error {
	if f != nil {
		f.Close()
	}
	return err
}

func (i *interceptedDir) OpenDir(name string) (sub Dir, err error) {
	err = i.with(Call{"opendir", name}, func() error { sub, err = i.d.OpenDir(name); return err })
	if err != nil {
		return nil, err
	}
	return Intercept(sub, i.with), nil
}

func (i *interceptedDir) Names() (names []string, err error) {
	err = i.with(Call{"names", "."}, func() error { names, err = i.d.Names(); return err })
	return names, err
}

func (i *interceptedDir) Lstat(name string) (e Entry, err error) {
	err = i.with(Call{"lstat", name}, func() error { e, err = i.d.Lstat(name); return err })
	return e, err
}

func (i *interceptedDir) TryLock() (ok bool, err error) {
	err = i.with(Call{"lock", "."}, func() error { ok, err = i.d.TryLock(); return err })
	return ok && err == nil, err
}

func (i *interceptedDir) Mkdir(name string) error {
	return i.with(Call{"mkdir", name}, func() error { return i.d.Mkdir(name) })
}

func (i *interceptedDir) Link(from, to string) error {
	return i.with(Call{"link", to}, func() error { return i.d.Link(from, to) })
}

func (i *interceptedDir) Rename(from, to string) error {
	return i.with(Call{"rename", to}, func() error { return i.d.Rename(from, to) })
}

func (i *interceptedDir) Exchange(a, b string) error {
	return i.with(Call{"exchange", b}, func() error { return i.d.Exchange(a, b) })
}

func (i *interceptedDir) Remove(name string) error {
	return i.with(Call{"remove", name}, func() error { return i.d.Remove(name) })
}

func (i *interceptedDir) Chmod(name string, m fs.FileMode) error {
	return i.with(Call{"chmod", name}, func() error { return i.d.Chmod(name, m) })
}

func (i *interceptedDir) Sync() error   { return i.with(Call{"sync", "."}, i.d.Sync) }
func (i *interceptedDir) Unlock() error { return i.with(Call{"unlock", "."}, i.d.Unlock) }
func (i *interceptedDir) Close() error  { return i.with(Call{"closedir", "."}, i.d.Close) }

type interceptedFile struct {
	f    File
	name string
	with Interceptor
}

func (i *interceptedFile) Write(b []byte) (n int, err error) {
	err = i.with(Call{"write", i.name}, func() error { n, err = i.f.Write(b); return err })
	return n, err
}

func (i *interceptedFile) Stat() (e Entry, err error) {
	err = i.with(Call{"fstat", i.name}, func() error { e, err = i.f.Stat(); return err })
	return e, err
}

func (i *interceptedFile) Chmod(m fs.FileMode) error {
	return i.with(Call{"fchmod", i.name}, func() error { return i.f.Chmod(m) })
}

func (i *interceptedFile) Sync() error  { return i.with(Call{"fsync", i.name}, i.f.Sync) }
func (i *interceptedFile) Close() error { return i.with(Call{"close", i.name}, i.f.Close) }
