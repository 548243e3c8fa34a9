package testkit

import "os"

// LongVariable is the environment variable which, set to 1, runs every suite at its full length.
const LongVariable = "HOLDFAST_LONG"

// Rounds returns how often to repeat something: the first number is for every day, the second for [LongVariable].
func Rounds(quick, long int) int {
	if os.Getenv(LongVariable) == "1" {
		return long
	}
	return quick
}
