package zst

import (
	"encoding/binary"
	"math/bits"
)

// The primes of XXH64, with which RFC 8878 has content checked.
const (
	prime1 = 0x9E3779B185EBCA87
	prime2 = 0xC2B2AE3D27D4EB4F
	prime3 = 0x165667B19E3779F9
	prime4 = 0x85EBCA77C2B2AE63
	prime5 = 0x27D4EB2F165667C5
)

const stripe = 32

// xxh64 is an XXH64 with the seed 0.
type xxh64 struct {
	lanes [4]uint64
	total uint64
	held  [stripe]byte // total%stripe bytes of it
}

func newXXH64() xxh64 {
	var seed uint64
	return xxh64{lanes: [4]uint64{seed + prime1 + prime2, seed + prime2, seed, seed - prime1}}
}

func (x *xxh64) write(p []byte) {
	held := int(x.total % stripe)
	x.total += uint64(len(p))
	if held > 0 {
		n := copy(x.held[held:], p)
		if p = p[n:]; held+n < stripe {
			return
		}
		x.mix(x.held[:])
	}
	for ; len(p) >= stripe; p = p[stripe:] {
		x.mix(p)
	}
	copy(x.held[:], p)
}

func (x *xxh64) mix(p []byte) {
	for i := range x.lanes {
		x.lanes[i] = round(x.lanes[i], binary.LittleEndian.Uint64(p[8*i:]))
	}
}

func round(lane, input uint64) uint64 {
	return bits.RotateLeft64(lane+input*prime2, 31) * prime1
}

func (x *xxh64) sum() uint64 {
	h := x.lanes[2] + prime5 // the seed, before the first stripe
	if x.total >= stripe {
		h = x.merged()
	}
	h += x.total
	p := x.held[:x.total%stripe]
	for ; len(p) >= 8; p = p[8:] {
		h = bits.RotateLeft64(h^round(0, binary.LittleEndian.Uint64(p)), 27)*prime1 + prime4
	}
	if len(p) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(p))*prime1, 23)*prime2 + prime3
		p = p[4:]
	}
	for _, b := range p {
		h = bits.RotateLeft64(h^uint64(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

func (x *xxh64) merged() (h uint64) {
	for i, turn := range [...]int{1, 7, 12, 18} {
		h += bits.RotateLeft64(x.lanes[i], turn)
	}
	for _, lane := range x.lanes {
		h = (h^round(0, lane))*prime1 + prime4
	}
	return h
}
