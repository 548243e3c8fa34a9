package procid

import (
	"bytes"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
)

// capabilityToInspect is the bit of CAP_SYS_PTRACE, which sees through hidepid.
const capabilityToInspect = 1 << 19

// hides reports whether /proc may leave out living processes of other users, so that absence there proves nothing.
func (here vantage) hides() (bool, error) {
	content, err := os.ReadFile(procRoot + "/self/mountinfo")
	if err != nil {
		return false, err
	}
	options, err := procOptions(content)
	if err != nil || !hidesFromOthers(options) {
		return false, err
	}
	return !here.seesAll(options), nil
}

// procOptions are the options of the procfs mounted at /proc; of several on top of each other, the last is seen.
func procOptions(mountinfo []byte) (options []string, err error) {
	err = errors.New("no procfs is mounted at /proc")
	for line := range bytes.Lines(mountinfo) {
		mount, fs, _ := strings.Cut(string(line), " - ")
		place, what := strings.Fields(mount), strings.Fields(fs)
		if len(place) > 4 && place[4] == procRoot && len(what) == 3 && what[0] == "proc" {
			options, err = strings.Split(what[2], ","), nil
		}
	}
	return options, err
}

func hidesFromOthers(options []string) bool {
	return slices.ContainsFunc(options, func(option string) bool {
		switch option {
		case "hidepid=2", "hidepid=invisible", "hidepid=4", "hidepid=ptraceable":
			return true
		}
		return false
	})
}

// seesAll reports whether hidepid does not apply to us. The capability counts only in the user namespace of the
// processes, which seeing process 1 stands for.
func (here vantage) seesAll(options []string) bool {
	if _, err := os.Stat(procRoot + "/1/stat"); err != nil {
		return false
	}
	return here.status.capabilities&capabilityToInspect != 0 || inExemptGroup(options)
}

// inExemptGroup: hidepid=2 spares the members of the group of option gid, which is 0 unless given; hidepid=4 nobody.
func inExemptGroup(options []string) bool {
	gid := 0
	for _, option := range options {
		if option == "hidepid=4" || option == "hidepid=ptraceable" {
			return false
		}
		if value, ok := strings.CutPrefix(option, "gid="); ok {
			gid, _ = strconv.Atoi(value) // the kernel wrote it
		}
	}
	groups, err := os.Getgroups()
	return gid == os.Getegid() || err == nil && slices.Contains(groups, gid)
}
