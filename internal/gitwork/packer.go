package gitwork

import (
	"context"
	"errors"
	"io"

	"holdfast/internal/beside"
	"holdfast/internal/zst"
)

// packer is what compresses archives, and reads those that are compressed. A variable for tests.
var packer = zst.Beside

// tellPlain says why archives are larger than they could be.
func (c *capture) tellPlain() {
	if why := *c.plain; why != nil {
		text := why.Error()
		var failed *zst.ProgramError
		if errors.As(why, &failed) {
			text += "; to have the next ones compressed, " + beside.Build(zst.Name, failed.Path)
		}
		c.result.Plain = &text
	}
}

// packed is an archive being compressed, which explains its faults.
type packed struct {
	file string
	to   *zst.Writer
}

func (p packed) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	return n, packFault(p.file, err)
}

func (p packed) Close() error { return packFault(p.file, p.to.Close()) }

func packFault(file string, err error) error {
	var failed *zst.ProgramError
	if !errors.As(err, &failed) {
		return err
	}
	return &Error{Kind: ErrPacker, Path: file, Err: err,
		Next: "run the command again; if that is no help, " + beside.Build(zst.Name, failed.Path) + "; without it archives are not compressed"}
}

// unpacked is an archive being read, which explains its faults.
type unpacked struct {
	ctx  context.Context
	file string
	from io.Reader
}

func (u unpacked) Read(b []byte) (int, error) {
	n, err := u.from.Read(b)
	if err != nil && err != io.EOF {
		err = unpackFault(u.ctx, u.file, err)
	}
	return n, err
}

// patience is how much more is read of an archive whose content is not what it should be.
const patience = 1 << 30

// proved returns what is wrong with the content of an archive, unless the stream proves not to be whole, or the program
// not to have done its work: that is the cause then.
func (u unpacked) proved(wrong error) error {
	if _, err := io.CopyN(io.Discard, u, patience); err != nil && err != io.EOF {
		return err
	}
	return wrong
}

func unpackFault(ctx context.Context, file string, err error) error {
	var known *Error
	var failed *zst.ProgramError
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case errors.As(err, &known):
		return err
	case errors.As(err, &failed):
		return &Error{Kind: ErrPacker, Path: file, Err: err,
			Next: "nothing was touched: " + beside.Build(zst.Name, failed.Path) + ", then run the command again; or restore by hand as the README of the evidence says"}
	}
	return badEvidence(file, "%v", err)
}
