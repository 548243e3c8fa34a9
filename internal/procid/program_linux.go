package procid

import (
	"bytes"
	"path"
	"strings"
)

// commLength is TASK_COMM_LEN less its NUL: a program name of this length may be cut.
const commLength = 15

// program prefers the name of the executable, which is whole and which the program cannot rewrite.
func (v *view) program() string {
	if exe, err := v.dir.link("exe"); err == nil {
		return programName(strings.TrimSuffix(path.Base(exe), " (deleted)"))
	}
	if len(v.stat.comm) < commLength || v.stat.kernelThread() {
		return programName(v.stat.comm)
	}
	cmdline, _ := v.dir.read("cmdline") // only to complete a cut name: without it, the cut name serves
	return programName(wholeName(v.stat.comm, cmdline))
}

// wholeName completes a cut name from the command line, which anybody may read. A program can rewrite its command line
// and put arguments into what looks like its name, so nothing is taken but the rest of the word that was cut.
func wholeName(comm string, cmdline []byte) string {
	first, _, _ := bytes.Cut(cmdline, []byte{0})
	rest, ok := strings.CutPrefix(path.Base(string(first)), comm)
	if !ok {
		return comm
	}
	word, _, _ := strings.Cut(rest, " ")
	return comm + word
}

func programName(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
