// Package cpuid answers what the hash of records asks of github.com/klauspost/cpuid/v2, in
// whose place the build puts it: whether there are instructions for many blocks at once.
//
// That package describes the whole processor before main begins, by some 50 CPUID
// instructions. In a virtual machine each of them traps: together they were a sixth of what
// starting the command takes, for a refusal as for a version. Even the few that
// golang.org/x/sys/cpu asks were a fiftieth. A record is one or two blocks, which take the
// same time either way, so the answer is no. What is large here is hashed by SHA-256. A
// program that imports Holdfast's packages gets the original, since a replacement counts in
// the main module only.
package cpuid

// FeatureID names a set of instructions.
type FeatureID int

const (
	AVX2 FeatureID = iota
	AVX512F
)

// CPUInfo is a processor.
type CPUInfo struct{}

// CPU is the processor that runs the program.
var CPU CPUInfo

// Supports reports that none of ids is to be used.
func (CPUInfo) Supports(ids ...FeatureID) bool { return len(ids) == 0 }
