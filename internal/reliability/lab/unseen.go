package lab

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A lane that counts the calls of one thread is blind for every other one. These are the
// calls that may change a store and that no lane follows; where one of them turns up, or
// any other that changes something comes from elsewhere than the main thread, the lane
// says so instead of going on.
var unfollowed = []string{
	"?open", "?creat", "?openat2", "writev", "pwritev", "?pwritev2", "?link", "?symlink", "symlinkat", "?rename", "?unlink",
	"?rmdir", "?mkdir", "?mknod", "mknodat", "truncate", "?chmod", "?chown", "?lchown", "fchown", "fchownat", "utimensat",
	"setxattr", "fsetxattr", "sendfile", "?copy_file_range", "splice", "syncfs", "sync_file_range", "msync",
}

// births are the calls that start a thread or a process.
var births = []string{"clone", "?clone3", "?fork", "?vfork"}

// looks are calls that change nothing, and no lock either.
var looks = []string{
	"read", "pread64", "getdents64", "newfstatat", "fstat", "statx", "statfs", "fstatfs", "lseek", "close",
	"clone", "clone3", "fork", "vfork",
}

// Following are the options of strace that log every thread and process of a command,
// each to a file of its own, for [ReadLogs]. Followed are the names of the calls that a
// lane follows on the main thread.
func Following(log string, followed []string) []string {
	names := slices.Concat(followed, Calls, unfollowed, births)
	slices.Sort(names)
	return []string{"-ff", "-y", "-o", log, "-e", "trace=" + strings.Join(slices.Compact(names), ",")}
}

// Logs are what strace wrote of every thread and process of a command.
type Logs struct {
	Main   string         // of the thread that the lanes follow
	others map[int]string // by their numbers
}

// ReadLogs reads the logs that [Following] had written. The main thread is the one that
// no other one started.
func ReadLogs(log string) (l Logs, err error) {
	files, err := filepath.Glob(log + ".*")
	if err != nil {
		return l, err
	}
	l.others = map[int]string{}
	for _, file := range files {
		id, err := strconv.Atoi(strings.TrimPrefix(filepath.Ext(file), "."))
		if err != nil {
			return l, fmt.Errorf("%s is no log of strace", file)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return l, err
		}
		l.others[id] = string(b)
	}
	started := l.started()
	for id, text := range l.others {
		if !started[id] && l.Main == "" {
			l.Main = text
			delete(l.others, id)
		}
	}
	if l.Main == "" {
		return l, fmt.Errorf("strace wrote no log of a main thread to %s", log)
	}
	return l, nil
}

var birth = regexp.MustCompile(`(?m)^(?:clone|clone3|fork|vfork)\(.* = (\d+)$`)

func (l Logs) started() map[int]bool {
	all := map[int]bool{}
	for _, text := range l.others {
		for _, m := range birth.FindAllStringSubmatch(text, -1) {
			id, _ := strconv.Atoi(m[1]) // digits
			all[id] = true
		}
	}
	return all
}

// most is how many of the calls that no lane sees are named.
const most = 5

// Unseen returns an error that names the calls by which a command may have changed what is
// below a directory and which nobody sees who follows its main thread, and calls of some
// names. Looks from other threads are let pass: they change neither what is there nor
// who has a lock.
func (l Logs) Unseen(below string, followed []string) error {
	var unseen []string
	for _, id := range slices.Sorted(maps.Keys(l.others)) {
		for line := range strings.Lines(l.others[id]) {
			if name, changes := changing(line, below); changes {
				unseen = append(unseen, fmt.Sprintf("thread or process %d: %s: %s", id, name, head(line)))
			}
		}
	}
	for line := range strings.Lines(l.Main) {
		name, changes := changing(line, below)
		if changes && (name == "mmap" || !slices.Contains(known(followed), name)) {
			unseen = append(unseen, fmt.Sprintf("the main thread, by a call that is not followed: %s: %s", name, head(line)))
		}
	}
	if len(unseen) == 0 {
		return nil
	}
	shown := strings.Join(unseen[:min(most, len(unseen))], "\n  ")
	return fmt.Errorf("the store is changed where this lane does not look, %d times:\n  %s", len(unseen), shown)
}

// known are names without the mark of what an old strace need not know.
func known(names []string) (plain []string) {
	for _, name := range names {
		plain = append(plain, strings.TrimPrefix(name, "?"))
	}
	return plain
}

// changing returns the name of the call in a line of strace -y, and whether it may change
// what is below a directory.
func changing(line, below string) (name string, changes bool) {
	name, _, _ = strings.Cut(line, "(")
	what := head(line)
	if slices.Contains(looks, name) || !strings.Contains(what, below) {
		return name, false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(what, word) })
	}
	switch name {
	case "openat", "open", "openat2":
		return name, has("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC")
	case "mmap":
		return name, has("PROT_WRITE") && has("MAP_SHARED")
	case "flock":
		return name, has("LOCK_EX")
	case "fcntl":
		return name, has("SETLK")
	}
	return name, true
}

// head is a line without the bytes that a call writes, in plain letters.
func head(line string) string {
	line = strings.TrimSuffix(line, "\n")
	if strings.HasPrefix(line, "write") || strings.HasPrefix(line, "pwrite") {
		line, _, _ = strings.Cut(line, ", ")
	}
	return escaped.ReplaceAllStringFunc(line, func(s string) string {
		b, err := strconv.ParseUint(s[2:], 16, 8)
		if err != nil {
			return s
		}
		return string(rune(b))
	})
}

var escaped = regexp.MustCompile(`\\x[0-9a-f]{2}`)
