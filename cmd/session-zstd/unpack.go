package main

import (
	"errors"
	"flag"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"

	"holdfast/internal/zst"
)

// errDamaged is returned for what is no whole stream.
var errDamaged = errors.New("damaged")

func unpack(args []string, from *source, to *destination) error {
	flags := flag.NewFlagSet(zst.Unpack, flag.ContinueOnError)
	window := flags.Int64("window", 128<<20, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	if *window < zstd.MinWindowSize || *window > zstd.MaxWindowSize {
		return usageError(fmt.Sprintf("--window is %d to %d, not %d", zstd.MinWindowSize, zstd.MaxWindowSize, *window))
	}
	// What comes out is a stream, of any size: the window is what has to be held.
	z, err := zstd.NewReader(from, zstd.WithDecoderMaxWindow(uint64(*window)), zstd.WithDecoderMaxMemory(math.MaxInt64))
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	defer z.Close()
	_, err = z.WriteTo(to)
	switch {
	case from.err != nil:
		return from.err
	case to.err != nil:
		return to.err
	case err != nil:
		return fmt.Errorf("%w: %w", errDamaged, err)
	case from.bytes == 0:
		return fmt.Errorf("%w: it is empty", errDamaged)
	}
	return nil
}
