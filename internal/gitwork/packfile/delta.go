package packfile

// applyDelta returns what delta makes of base.
func applyDelta(base, delta []byte) ([]byte, error) {
	from, delta, ok := deltaSize(delta)
	if !ok || from != int64(len(base)) {
		return nil, corrupt("delta is for another base")
	}
	to, delta, ok := deltaSize(delta)
	if !ok {
		return nil, corrupt("delta has no size")
	}
	out := make([]byte, 0, to)
	for len(delta) > 0 {
		op := delta[0]
		delta = delta[1:]
		var part []byte
		if op&0x80 != 0 {
			part, delta, ok = copied(base, delta, op)
		} else {
			part, delta, ok = inserted(delta, int(op))
		}
		if !ok || int64(len(out)+len(part)) > to {
			return nil, corrupt("delta has a bad instruction")
		}
		out = append(out, part...)
	}
	if int64(len(out)) != to {
		return nil, corrupt("delta makes %d bytes, not %d", len(out), to)
	}
	return out, nil
}

func deltaSize(b []byte) (size int64, rest []byte, ok bool) {
	for i, c := range b {
		if i > 8 {
			break
		}
		size |= int64(c&0x7f) << (7 * i)
		if c&0x80 == 0 {
			return size, b[i+1:], true
		}
	}
	return 0, nil, false
}

// copied returns the part of base that a copy instruction names: four bits of op say which bytes of the offset
// follow, three which bytes of the size.
func copied(base, b []byte, op byte) (part, rest []byte, ok bool) {
	var offset, size int
	for i := range 7 {
		if op&(1<<i) == 0 {
			continue
		}
		if len(b) == 0 {
			return nil, nil, false
		}
		if i < 4 {
			offset |= int(b[0]) << (8 * i)
		} else {
			size |= int(b[0]) << (8 * (i - 4))
		}
		b = b[1:]
	}
	if size == 0 {
		size = 0x10000
	}
	if offset+size > len(base) {
		return nil, nil, false
	}
	return base[offset : offset+size], b, true
}

func inserted(b []byte, n int) (part, rest []byte, ok bool) {
	if n == 0 || n > len(b) {
		return nil, nil, false
	}
	return b[:n], b[n:], true
}
