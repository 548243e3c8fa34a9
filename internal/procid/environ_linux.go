package procid

import (
	"bytes"
	"errors"
)

// operationVariable names, in the environment of what a session's owner started, the operation that started it.
const operationVariable = "SESSION_OPERATION_ID="

// maxOperationID bounds what is kept of a value that anybody may have chosen; an operation id has 32 bytes.
const maxOperationID = 64

// errInTransit is returned when an environment was not seen whole: inside execve a process has a new address space into
// which its environment is not yet copied, and what was being read of the old one ends early. Ending does the same.
var errInTransit = errors.New("between two programs")

// operations are all values of SESSION_OPERATION_ID in the environment that the process was started with.
func (v *view) operations() ([]string, error) {
	environ, err := v.dir.read("environ")
	if err != nil {
		return nil, err
	}
	if !v.through.hasEnvironmentOf(len(environ)) {
		return nil, errInTransit
	}
	return operationsIn(environ), nil
}

// operationsIn keeps every occurrence: which of several counts is for the program to decide, and a suspect too many does
// no harm.
func operationsIn(environ []byte) (values []string) {
	for variable := range bytes.SplitSeq(environ, []byte{0}) {
		value, ok := bytes.CutPrefix(variable, []byte(operationVariable))
		if ok && len(value) > 0 && len(value) <= maxOperationID {
			values = append(values, string(value))
		}
	}
	return values
}
