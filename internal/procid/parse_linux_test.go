package procid

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// statLine is a line of /proc/PID/stat around a program name.
func statLine(name string) []byte {
	return []byte("48211 (" + name + ") S 17 18 19 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 9 0 918273 " +
		strings.Repeat("1 ", 27) + "76 77 0\n")
}

func TestParseStat(t *testing.T) {
	for _, name := range []string{"claude", "a) b (c", ") R 1 1 1 (", "line\nbreak", ""} {
		s, err := parseStat(statLine(name))
		require.NoError(t, err)
		require.Equal(t, stat{
			pid: 48211, comm: name, state: 'S', parent: 17, group: 18, session: 19, flags: 4194560, threads: 9,
			startTicks: 918273, cpuTicks: 5 + 6 + 7 + 8, envStart: 76, envEnd: 77,
		}, s)
	}
}

func TestParseStatRefuses(t *testing.T) {
	for _, line := range []string{"", "1", "1 (a", "1 )a( S", "1 (a) S 1 2", string(statLine("a"))[:40], "x" + string(statLine("a"))} {
		_, err := parseStat([]byte(line))
		require.Error(t, err, line)
	}
}

func TestParseStatus(t *testing.T) {
	s, err := parseStatus([]byte("Name:\ta\\nTgid:\t7\nTgid:\t48211\nNSpid:\t48211\t17\t1\nCapEff:\t000001fffeffffff\n"))
	require.NoError(t, err)
	require.Equal(t, status{tgid: 48211, pids: []int{48211, 17, 1}, capabilities: 0x1fffeffffff}, s)
	require.Equal(t, 1, s.ownPID())
	for _, content := range []string{"", "Tgid:\t1\n", "NSpid:\t1\n", "Tgid:\tx\nNSpid:\t1\n", "Tgid:\t1\nNSpid:\tx\n"} {
		_, err := parseStatus([]byte(content))
		require.Error(t, err, content)
	}
}

func TestOperationsIn(t *testing.T) {
	require.Empty(t, operationsIn(nil))
	require.Empty(t, operationsIn([]byte("A=1\x00NOT_SESSION_OPERATION_ID=x\x00B=SESSION_OPERATION_ID=y\x00SESSION_OPERATION_ID=\x00")))
	require.Equal(t, []string{"x"}, operationsIn([]byte("SESSION_OPERATION_ID=x")))
	require.Equal(t, []string{"x", "y"}, operationsIn([]byte("SESSION_OPERATION_ID=x\x00A=1\x00SESSION_OPERATION_ID=y\x00")))
	require.Empty(t, operationsIn([]byte("SESSION_OPERATION_ID="+strings.Repeat("x", maxOperationID+1))))
}

func TestWholeName(t *testing.T) {
	for cmdline, want := range map[string]string{
		"/usr/lib/a-long-program-name\x00--secret\x00": "a-long-program-name",
		"a-long-program-name --secret":                 "a-long-program-name",
		"something else":                               "a-long-program-",
		"":                                             "a-long-program-",
	} {
		require.Equal(t, want, wholeName("a-long-program-", []byte(cmdline)))
	}
}

func TestHoldsFlock(t *testing.T) {
	for info, want := range map[string]bool{
		"pos:\t0\nlock:\t1: FLOCK  ADVISORY  WRITE 2706 fe:00:9977920 0 EOF\n": true,
		"lock:\t1: FLOCK  ADVISORY  READ 2706 fe:00:9977920 0 EOF\n":           false,
		"lock:\t1: POSIX  ADVISORY  WRITE 2706 fe:00:9977920 0 EOF\n":          false,
		"pos:\t0\nflags:\t02\n": false,
		"":                      false,
	} {
		require.Equal(t, want, holdsFlock([]byte(info)), info)
	}
}

func TestProcOptions(t *testing.T) {
	const plain = "22 28 0:21 / /proc rw,nosuid - proc proc rw\n"
	const hiding = "99 22 0:40 / /proc rw shared:3 - proc proc rw,gid=7,hidepid=invisible\n"
	options, err := procOptions([]byte(plain))
	require.NoError(t, err)
	require.False(t, hidesFromOthers(options))
	options, err = procOptions([]byte(plain + "23 28 0:22 / /sys rw - sysfs sysfs rw\n" + hiding))
	require.NoError(t, err)
	require.True(t, hidesFromOthers(options))
	_, err = procOptions([]byte("23 28 0:22 / /sys rw - sysfs sysfs rw\n"))
	require.Error(t, err)
}

func TestHasEnvironmentOf(t *testing.T) {
	there := stat{threads: 1, envStart: 100, envEnd: 110}
	require.True(t, there.hasEnvironmentOf(10))
	require.False(t, there.hasEnvironmentOf(0), "has come out of execve meanwhile")
	require.False(t, there.hasEnvironmentOf(9), "ended early")
	require.True(t, stat{envStart: 100, envEnd: 100}.hasEnvironmentOf(0), "started without")
	require.False(t, stat{threads: 1}.hasEnvironmentOf(0), "inside execve")
	require.True(t, stat{threads: 1, flags: flagExiting}.hasEnvironmentOf(0))
	require.False(t, stat{threads: 2, flags: flagExiting}.hasEnvironmentOf(0), "another thread lives")
}

func TestIsUUID(t *testing.T) {
	const valid = "8b8926d9-27c8-411f-abac-fb7c2526862d"
	require.True(t, isUUID(valid))
	for _, s := range []string{"", valid[1:], valid + "0", strings.ToUpper(valid), strings.ReplaceAll(valid, "-", "0")} {
		require.False(t, isUUID(s), s)
	}
}
