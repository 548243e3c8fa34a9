package random

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestTheDeviceAnswersWhereGetrandomIsRefused(t *testing.T) {
	a, b := make([]byte, 32), make([]byte, 32)
	require.NoError(t, readDevice(a, unix.ENOSYS))
	require.NoError(t, readDevice(b, unix.ENOSYS))
	assert.NotEqual(t, a, b)
	assert.NotEqual(t, make([]byte, 32), a)
}
