package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// childOf is the number of the one child of a process.
func childOf(t *testing.T, pid int) int {
	t.Helper()
	var child int
	require.Eventually(t, func() bool {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		require.NoError(t, err)
		var fields []string
		for _, thread := range threads {
			b, _ := os.ReadFile(thread) // it may have ended
			fields = append(fields, strings.Fields(string(b))...)
		}
		if len(fields) != 1 {
			return false
		}
		child, err = strconv.Atoi(fields[0])
		return err == nil
	}, hang, tick)
	return child
}
