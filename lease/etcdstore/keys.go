package etcdstore

import (
	"strconv"
	"strings"

	"holdfast/ownership"
)

// keys names what a store keeps, below its prefix.
type keys string

const (
	sessionsName   = "/sessions/"
	eventsName     = "/events/"
	quarantineName = "/quarantine/"
	notesName      = "/notes/"
	recordName     = "/record"
	pastName       = "/past/"
	lifeName       = "/life/"
	pulseName      = "/pulse"
	verdictName    = "/verdict"
)

func (k keys) sessions() string                   { return string(k) + sessionsName }
func (k keys) session(d ownership.Digest) string  { return k.sessions() + d.String() }
func (k keys) record(d ownership.Digest) string   { return k.session(d) + recordName }
func (k keys) pulse(d ownership.Digest) string    { return k.session(d) + pulseName }
func (k keys) verdict(d ownership.Digest) string  { return k.session(d) + verdictName }
func (k keys) pasts(d ownership.Digest) string    { return k.session(d) + pastName }
func (k keys) lives(d ownership.Digest) string    { return k.session(d) + lifeName }
func (k keys) eventsOf(d ownership.Digest) string { return string(k) + eventsName + d.String() + "/" }
func (k keys) notes(d ownership.Digest) string    { return string(k) + notesName + d.String() + "/" }
func (k keys) allOf(d ownership.Digest) string    { return k.session(d) + "/" }

func (k keys) past(d ownership.Digest, r ownership.Revision) string { return k.pasts(d) + r.String() }
func (k keys) event(d ownership.Digest, r ownership.Revision) string {
	return k.eventsOf(d) + r.String()
}

func (k keys) life(d ownership.Digest, g ownership.Generation) string {
	return k.lives(d) + strconv.FormatUint(uint64(g), 10)
}

func (k keys) quarantine(d ownership.Digest, r ownership.Revision) string {
	return string(k) + quarantineName + d.String() + "/" + r.String()
}

// digestIn returns the session that a key belongs to, and what the key is of it.
func (k keys) digestIn(key string) (d ownership.Digest, rest string, ok bool) {
	below, ok := strings.CutPrefix(key, k.sessions())
	if !ok {
		return d, "", false
	}
	hex, rest, ok := strings.Cut(below, "/")
	d, err := ownership.ParseDigest(hex)
	return d, "/" + rest, ok && err == nil
}

// generationIn takes the name of a life key apart.
func generationIn(rest string) (ownership.Generation, bool) {
	number, ok := strings.CutPrefix(rest, lifeName)
	n, err := strconv.ParseUint(number, 10, 64)
	g := ownership.Generation(n)
	return g, ok && err == nil && n > 0 && g <= ownership.MaxGeneration
}
