// Package cli is the command line: it reads arguments, calls the packages that
// decide, and says what they found.
//
// # Vocabulary
//
// An [invocation] is one run of the command. An answer is the result of a command
// and goes to standard output; a refusal is why there is none and goes to standard
// error, or to standard output as JSON where --json was given. A page is a text for
// people.
//
// # Guarantees
//
// Every argument is checked before anything is opened, so wrong usage creates
// nothing. All output goes through the streams of render.go, and exit.go alone
// decides how the process ends. Exit 0 means that the answer was delivered (I9): one that could not be
// written ends as outcome-unknown where something was published, and as io-error
// where nothing was. What comes from records is escaped before it reaches a terminal.
//
// # Non-guarantees
//
// Texts for people change from one version to the next; programs read the JSON and
// the exit codes. A closed standard output looks like an answer that was delivered:
// the Go runtime opens the null device in its place.
package cli
