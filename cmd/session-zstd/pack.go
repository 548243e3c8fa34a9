package main

import (
	"flag"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"holdfast/internal/zst"
)

var levels = map[zst.Level]zstd.EncoderLevel{
	zst.LevelDefault: zstd.SpeedDefault,
	zst.LevelFastest: zstd.SpeedFastest,
}

func pack(args []string, from *source, to *destination) error {
	flags := flag.NewFlagSet(zst.Pack, flag.ContinueOnError)
	level := flags.String("level", string(zst.LevelDefault), "")
	threads := flags.Int("threads", 1, "")
	if err := parse(flags, args); err != nil {
		return err
	}
	effort, known := levels[zst.Level(*level)]
	switch {
	case !known:
		return usageError(fmt.Sprintf("--level is %s or %s, not %.80q", zst.LevelDefault, zst.LevelFastest, *level))
	case *threads < 1:
		return usageError(fmt.Sprintf("--threads is at least 1, not %d", *threads))
	}
	z, err := zstd.NewWriter(to, zstd.WithEncoderLevel(effort), zstd.WithEncoderConcurrency(*threads))
	if err != nil {
		return err
	}
	if _, err := z.ReadFrom(from); err != nil {
		return err
	}
	return z.Close()
}
