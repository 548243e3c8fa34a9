// Session says who owns an agent's session, keeps everybody else out while that
// owner lives, and lets a person end the ownership of one that died.
package main

import (
	"os"

	"holdfast/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args)) }
