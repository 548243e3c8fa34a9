package gitwork

import (
	"context"
	"errors"
	"fmt"
	"io"

	"holdfast/internal/zst"
)

// packer is what compresses archives, and reads those that are compressed. A variable for tests.
var packer = zst.Beside

// tellPlain says why archives are larger than they could be.
func (c *capture) tellPlain() {
	if why := *c.plain; why != nil {
		text := fmt.Sprintf("%v; `go install ./cmd/%s`, in the source of this command, has the next ones compressed", why, zst.Name)
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
		Next: "run the command again; if that is no help, build it again with " + building(failed) + ", or move it away: archives are then not compressed"}
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
			Next: "nothing was touched: see that it stands beside this command and works (" + building(failed) + "), or restore by hand as the README of the evidence says"}
	}
	return badEvidence(file, "%v", err)
}

func building(failed *zst.ProgramError) string {
	return fmt.Sprintf("`go build -o %q ./cmd/%s` in the source of this command", failed.Path, zst.Name)
}
