package ownership

import "strings"

// plain is the part of an encoding that was not read yet. Once something in it is not
// plain, it stays not ok, and what its methods return means nothing.
type plain struct {
	rest string
	ok   bool
}

// word goes past what must stand next.
func (p *plain) word(w string) { p.ok = p.skip(w) && p.ok }

// skip goes past w where it stands next.
func (p *plain) skip(w string) bool {
	rest, found := strings.CutPrefix(p.rest, w)
	p.rest = rest
	return found
}

// nullable reads null, or else a value.
func nullable[T any](p *plain, read func() T) *T {
	if !p.ok || p.skip("null") {
		return nil
	}
	v := read()
	return &v
}

// text reads a string of printable ASCII without anything that JSON escapes.
func (p *plain) text() string {
	p.word(`"`)
	for i := range len(p.rest) {
		switch c := p.rest[i]; {
		case c == '"':
			s := p.rest[:i]
			p.rest = p.rest[i+1:]
			return s
		case c < ' ' || c > '~' || c == '\\':
			p.ok = false
			return ""
		}
	}
	p.ok = false
	return ""
}

// maxPlainDigits keeps a number within 64 bits.
const maxPlainDigits = 18

// number reads digits, without a zero before others.
func (p *plain) number() (n uint64) {
	i := 0
	for ; i < len(p.rest) && i <= maxPlainDigits && '0' <= p.rest[i] && p.rest[i] <= '9'; i++ {
		n = 10*n + uint64(p.rest[i]-'0')
	}
	p.ok = p.ok && 0 < i && i <= maxPlainDigits && (p.rest[0] != '0' || i == 1)
	p.rest = p.rest[i:]
	return n
}

// pid reads a number that an int holds on every machine.
func (p *plain) pid() int {
	n := p.number()
	p.ok = p.ok && n < 1<<31
	return int(n)
}

func (p *plain) hex(dst []byte) { p.ok = parseHex(dst, p.text()) == nil && p.ok }

func (p *plain) digest() (d Digest) {
	p.hex(d[:])
	return d
}

func (p *plain) revision() (r Revision) {
	p.hex(r[:])
	return r
}

func (p *plain) operation() (id OperationID) {
	p.hex(id[:])
	return id
}

// timestamp asks how the instant is written: more than one spelling can be parsed.
func (p *plain) timestamp() (ts Timestamp) {
	s := p.text()
	p.ok = p.ok && ts.UnmarshalText([]byte(s)) == nil && ts.String() == s
	return ts
}
