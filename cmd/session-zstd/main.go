// Session-zstd compresses and decompresses from its standard input to its standard output, for session and session-etcd,
// which start it where they stand beside it:
//
//	session-zstd pack [--level default|fastest] [--threads N]
//	session-zstd unpack [--window BYTES]
//
// It is a program of its own because a compressor costs every start of the program that it is linked into. It ends with
// 0 once everything is written, and says on its standard error how many bytes it took and gave; with 64 if it does not
// understand its arguments, with 65 if the input is no whole stream of Zstandard or its window is larger than allowed,
// and with 74 if it can neither read nor write.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"holdfast/internal/zst"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

const usage = `session-zstd compresses what session keeps of a worktree, and is started by it.

  session-zstd pack [--level default|fastest] [--threads N]   <FILE >FILE.zst
  session-zstd unpack [--window BYTES]                        <FILE.zst >FILE
`

// run does what the arguments ask for and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	from, to := &source{from: stdin}, &destination{to: stdout}
	err := filter(args, from, to)
	switch {
	case errors.Is(err, flag.ErrHelp):
		_, err = io.WriteString(stdout, usage)
	case err == nil:
		_, err = io.WriteString(stderr, zst.Receipt{Taken: from.bytes, Given: to.bytes}.String())
	}
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "%s: %v\n", zst.Name, err)
	return codeOf(err)
}

// filter copies from one to the other in the way that the arguments name.
func filter(args []string, from *source, to *destination) error {
	if len(args) == 0 {
		return usageError("it takes " + zst.Pack + " or " + zst.Unpack)
	}
	switch args[0] {
	case zst.Pack:
		return pack(args[1:], from, to)
	case zst.Unpack:
		return unpack(args[1:], from, to)
	case "help", "-h", "--help":
		return flag.ErrHelp
	}
	return usageError(fmt.Sprintf("%.80q is neither %s nor %s", args[0], zst.Pack, zst.Unpack))
}

// usageError is returned for arguments that are not understood.
type usageError string

func (e usageError) Error() string { return string(e) }

// parse reads options, behind which nothing may stand.
func parse(flags *flag.FlagSet, args []string) error {
	flags.SetOutput(io.Discard)
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return usageError(err.Error())
	case flags.NArg() > 0:
		return usageError(fmt.Sprintf("%.80q is more than it takes", flags.Arg(0)))
	}
	return nil
}

func codeOf(err error) int {
	var usage usageError
	switch {
	case errors.As(err, &usage):
		return zst.ExitUsage
	case errors.Is(err, errDamaged):
		return zst.ExitDamaged
	}
	return zst.ExitIO
}

// source counts what is read, and remembers why that failed.
type source struct {
	from  io.Reader
	bytes int64
	err   error
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.from.Read(p)
	s.bytes += int64(n)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

// destination counts what is written, and remembers why that failed.
type destination struct {
	to    io.Writer
	bytes int64
	err   error
}

func (d *destination) Write(p []byte) (int, error) {
	n, err := d.to.Write(p)
	d.bytes += int64(n)
	if err != nil {
		d.err = err
	}
	return n, err
}
