// Package cpuid answers the two questions that the hash of records asks of
// github.com/klauspost/cpuid/v2, in whose place the build puts it.
//
// That package describes the whole processor before main begins, by some 50 CPUID
// instructions. In a virtual machine each of them traps: together they were a sixth of what
// starting the command takes, for a refusal as for a version. Here the few that
// golang.org/x/sys/cpu asks are enough. A program that imports Holdfast's packages gets the
// original, since a replacement counts in the main module only.
package cpuid

import "golang.org/x/sys/cpu"

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

// Supports reports whether the processor and the operating system allow every one of ids.
func (CPUInfo) Supports(ids ...FeatureID) bool {
	for _, id := range ids {
		switch {
		case id == AVX2 && cpu.X86.HasAVX2:
		case id == AVX512F && cpu.X86.HasAVX512F:
		default:
			return false
		}
	}
	return true
}
