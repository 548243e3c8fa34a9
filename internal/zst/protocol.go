package zst

import "fmt"

// Name is the program's.
const Name = "session-zstd"

// What the program is asked for.
const (
	Pack   = "pack"   // [--level LEVEL] [--threads N]
	Unpack = "unpack" // [--window BYTES]
)

// Level is how hard the program works.
type Level string

// The levels.
const (
	LevelDefault Level = "default"
	LevelFastest Level = "fastest" // for what is compressed already
)

// How the program ends, beside 0. It says why on its standard error.
const (
	ExitUsage   = 64
	ExitDamaged = 65 // the input is no whole stream, or asks for more memory than it may; it says [FoundDamage]
	ExitIO      = 74
)

// FoundDamage begins what the program says when it ends with [ExitDamaged]. One that ends so and does not say it is
// another program.
const FoundDamage = Name + ": damaged"

// Receipt is how much the program took and gave, in bytes. It is all that it says on its standard error when it ends
// with 0.
type Receipt struct{ Taken, Given int64 }

func (r Receipt) String() string { return fmt.Sprintf("taken %d given %d\n", r.Taken, r.Given) }
