package procid

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// UserName is the login name of the effective user, or uid-1000 where /etc/passwd does not name it. It never fails and
// never waits: os/user would link the C library's name service, which costs start-up time and may ask the network.
func UserName() string {
	uid := strconv.Itoa(os.Geteuid())
	if known, ok := userNames.Load(uid); ok {
		return known.(string)
	}
	if passwd, err := anywhere.read("/etc/passwd"); err == nil {
		if name := loginName(string(passwd), uid); name != "" {
			userNames.Store(uid, name)
			return name
		}
	}
	return "uid-" + uid
}

// userNames are the names that were found, by uid: a process can become another user.
var userNames sync.Map

// loginName finds a uid in the content of a file of the form of passwd(5). It is empty when no line has it.
func loginName(passwd, uid string) string {
	for line := range strings.Lines(passwd) {
		fields := strings.SplitN(line, ":", 4)
		if len(fields) == 4 && fields[2] == uid {
			return strings.ToValidUTF8(fields[0], "\uFFFD")
		}
	}
	return ""
}
