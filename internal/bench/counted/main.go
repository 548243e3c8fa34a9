// Counted is the command `session`, which tells at its end what it allocated.
package main

import (
	"fmt"
	"os"

	"holdfast/internal/bench/allocated"
	"holdfast/internal/cli"
)

func main() {
	code := cli.Main(os.Args)
	if err := allocated.Tell(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}
