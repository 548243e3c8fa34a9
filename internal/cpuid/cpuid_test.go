package cpuid_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/klauspost/cpuid/v2"
)

// What the kernel says of the processor is the oracle.
func TestSupportsWhatTheKernelLists(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("no /proc/cpuinfo")
	}
	for id, flag := range map[cpuid.FeatureID]string{cpuid.AVX2: "avx2", cpuid.AVX512F: "avx512f"} {
		listed := regexp.MustCompile(`(?m)^flags\s.*\s` + flag + `(\s|$)`).Match(info)
		if got := cpuid.CPU.Supports(id); got != listed {
			t.Errorf("%s: supported %t, listed %t", flag, got, listed)
		}
	}
	if cpuid.CPU.Supports(cpuid.FeatureID(99)) {
		t.Error("supports what nobody knows")
	}
}
