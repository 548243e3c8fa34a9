// Package testkit holds what tests of several packages must agree on.
package testkit

import (
	"os"
	"testing"
)

// RequireVariable is the environment variable which, set to 1, forbids skipping: continuous integration sets it, so
// that a missing tool there is a failure and not a silent gap.
const RequireVariable = "HOLDFAST_REQUIRE"

// Skip ends a test that cannot run here, naming what is missing. It fails the test where [RequireVariable] is 1.
func Skip(t testing.TB, why string) {
	t.Helper()
	if os.Getenv(RequireVariable) == "1" {
		t.Fatalf("cannot be skipped, since %s=1: %s", RequireVariable, why)
	}
	t.Skipf("SKIPPED, NOT PROVED HERE: %s", why)
}
