package ownership

import (
	"encoding/hex"
	"strconv"
	"strings"
)

// plain is a walk through an encoding, which is either read or written. Once something
// in it is not plain, it stays not ok, and what was read or written means nothing. What
// is being written is not touched: others may be looking at it.
type plain struct {
	ok      bool
	writing bool
	written []byte
	rest    string // to be read
}

// word goes past what must stand next.
func (p *plain) word(w string) {
	if p.writing {
		p.written = append(p.written, w...)
		return
	}
	p.ok = p.skip(w) && p.ok
}

// skip goes past w where it stands next.
func (p *plain) skip(w string) bool {
	rest, found := strings.CutPrefix(p.rest, w)
	p.rest = rest
	return found
}

// nullable is null, or else a value.
func nullable[T any](p *plain, v **T, walk func(*T)) {
	switch {
	case p.writing && *v == nil:
		p.word("null")
	case p.writing:
		walk(*v)
	case p.ok && !p.skip("null"):
		*v = new(T)
		walk(*v)
	}
}

// text is a string of printable ASCII without anything that JSON escapes.
func (p *plain) text(s *string) {
	p.word(`"`)
	if p.writing {
		p.word(*s)
		p.ok = p.ok && unescaped(*s) == len(*s)
	} else {
		end := unescaped(p.rest)
		*s, p.rest = p.rest[:end], p.rest[end:]
	}
	p.word(`"`)
}

// unescaped returns how much of the beginning of s JSON writes as it is.
func unescaped(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// maxPlainDigits keeps a number within 64 bits.
const maxPlainDigits = 18

// number is digits, without a zero before others.
func (p *plain) number(n *uint64) {
	if p.writing {
		p.written = strconv.AppendUint(p.written, *n, 10)
		return
	}
	i := 0
	for ; i < len(p.rest) && i <= maxPlainDigits && '0' <= p.rest[i] && p.rest[i] <= '9'; i++ {
		*n = 10**n + uint64(p.rest[i]-'0')
	}
	p.ok = p.ok && 0 < i && i <= maxPlainDigits && (p.rest[0] != '0' || i == 1)
	p.rest = p.rest[i:]
}

func (p *plain) generation(g *Generation) { p.number((*uint64)(g)) }

// pid is a number that an int holds on every machine.
func (p *plain) pid(pid *int) {
	n := uint64(*pid)
	p.number(&n)
	p.ok = p.ok && n < 1<<31
	if !p.writing {
		*pid = int(n)
	}
}

func (p *plain) hex(d []byte) {
	if p.writing {
		p.word(`"`)
		p.written = hex.AppendEncode(p.written, d)
		p.word(`"`)
		return
	}
	var s string
	p.text(&s)
	p.ok = parseHex(d, s) == nil && p.ok
}

func (p *plain) digest(d *Digest)          { p.hex(d[:]) }
func (p *plain) revision(r *Revision)      { p.hex(r[:]) }
func (p *plain) operation(id *OperationID) { p.hex(id[:]) }

// timestamp asks how the instant is written: more than one spelling can be parsed.
func (p *plain) timestamp(ts *Timestamp) {
	var s string
	if p.writing {
		s = ts.String()
	}
	p.text(&s)
	var read Timestamp
	p.ok = p.ok && read.UnmarshalText([]byte(s)) == nil && read.String() == s
	if !p.writing {
		*ts = read
	}
}

// nobody is a list of survivors with none in it.
func (p *plain) nobody(all *[]Survivor) {
	p.word("[]")
	if p.writing {
		p.ok = p.ok && *all != nil && len(*all) == 0
		return
	}
	*all = []Survivor{}
}
