package powerloss

import "strings"

// do applies a call that the real command made, and reports whether the disk, or what
// is durable of it, may differ afterwards.
func (d *disk) do(s step) bool {
	if s.result < 0 {
		return false
	}
	switch s.name {
	case "openat":
		return d.openat(s)
	case "close":
		delete(d.open, s.fds[0])
	case "write", "pwrite64", "ftruncate":
		return d.write(s)
	case "fsync", "fdatasync":
		return d.syncAt(s)
	case "mkdirat":
		return d.make(s)
	case "linkat", "renameat", "renameat2":
		return d.name(s)
	case "unlinkat":
		if path := s.path(0); d.find(path) != nil {
			d.rename(naming{path, nil})
			return true
		}
	}
	return false
}

func (d *disk) openat(s step) (changed bool) {
	path := s.path(0)
	n := d.find(path)
	if n == nil && strings.Contains(s.flags, "O_CREAT") && d.inside(path) {
		n, changed = d.node(false), true
		d.rename(naming{path, n})
	}
	if n == nil {
		delete(d.open, s.result)
		return false
	}
	if strings.Contains(s.flags, "O_TRUNC") && len(n.data) > 0 {
		n.write(write{cut: true})
		changed = true
	}
	d.open[s.result] = &handle{node: n}
	return changed
}

func (d *disk) inside(path string) bool { return strings.HasPrefix(path, d.top+"/") }

func (d *disk) make(s step) bool {
	path := s.path(0)
	if !d.inside(path) {
		return false
	}
	d.rename(naming{path, d.node(true)})
	return true
}

// write needs the descriptor's file, since its name may be another one by now.
func (d *disk) write(s step) bool {
	h := d.open[s.fds[0]]
	if h == nil || h.node.dir {
		return false
	}
	switch s.name {
	case "write":
		h.node.write(write{at: h.at, data: []byte(s.words[0][:s.result])})
		h.at += int64(s.result)
	case "pwrite64":
		h.node.write(write{at: s.last, data: []byte(s.words[0][:s.result])})
	default:
		h.node.write(write{at: s.last, cut: true})
	}
	return true
}

func (d *disk) syncAt(s step) bool {
	h := d.open[s.fds[0]]
	if h == nil {
		return false
	}
	d.sync(h.node)
	return true
}

// name applies a call with two paths.
func (d *disk) name(s step) bool {
	from, to := s.path(0), s.path(1)
	n, was := d.find(from), d.find(to)
	switch {
	case n == nil:
		return false
	case s.name == "linkat":
		d.rename(naming{to, n})
	case strings.Contains(s.flags, "RENAME_EXCHANGE"):
		d.rename(naming{from, was}, naming{to, n})
	case n == was:
		return false
	default:
		d.rename(naming{to, n}, naming{from, nil})
	}
	return true
}
