package cli

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	urfave "github.com/urfave/cli/v3"

	"holdfast/internal/supervise"
	"holdfast/ownership"
)

// runStatus is how a run ended, as its status file and its JSON say it.
type runStatus struct {
	Key          string                 `json:"key"`
	KeyDigest    ownership.Digest       `json:"keyDigest"`
	Generation   *ownership.Generation  `json:"generation"`   // nil where the session was not acquired
	OperationID  *ownership.OperationID `json:"operationId"`  // likewise
	Acknowledged bool                   `json:"acknowledged"` // the session is idle by our release
	ExitCode     int                    `json:"exitCode"`
	Reason       *ownership.Reason      `json:"reason"` // nil where the exit code is the command's
	Message      *string                `json:"message"`
	Command      *commandStatus         `json:"command"` // nil where it never ran
	BeganAt      ownership.Timestamp    `json:"beganAt"`
	EndedAt      ownership.Timestamp    `json:"endedAt"`
}

// commandStatus is how the command ended, and how it is known that nothing is left.
type commandStatus struct {
	Code      *int                `json:"code"`   // nil where a signal ended it, or its end was not seen
	Signal    *int                `json:"signal"` // nil where it ended by itself
	Quiescent bool                `json:"quiescent"`
	Proof     string              `json:"proof"`
	Survivors []supervise.Process `json:"survivors"`
}

// prepareStatus makes what becomes the status file, so that one that cannot be written
// is known before anything runs.
func (r *running) prepareStatus(c *urfave.Command) (err error) {
	path := r.request.statusFile
	if path == "" {
		return nil
	}
	r.status, err = os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	var why *os.PathError
	if errors.As(err, &why) {
		return wrong(c, "--status-file %q cannot be written: %v", path, why.Err)
	}
	return err
}

// report tells the status file, and with --json the caller, how the run ended. It
// returns err, or the exit code of an answer that could not be written.
func (r *running) report(err error) error {
	status := r.statusOf(err)
	if r.json && (err == nil || r.saysNothing(err)) {
		r.refusalsTo().object(status)
	}
	if r.status == nil {
		return err
	}
	failed := r.writeStatus(status)
	switch {
	case failed == nil:
		return err
	case err != nil:
		r.remark("the status file could not be written: %v", failed)
		return err
	}
	// All went well but the answer (I9).
	r.remark("the command and the release went well, but the status file could not be written: %v", failed)
	return &exitAs{code: codeOf(ownership.ReasonOutcomeUnknown)}
}

// saysNothing reports whether an error is nothing but the command's own status.
func (r *running) saysNothing(err error) bool {
	var own *exitAs
	return errors.As(err, &own) && own.err == nil
}

func (r *running) statusOf(err error) runStatus {
	s := runStatus{
		Key:       r.request.key.String(),
		KeyDigest: r.request.key.Digest(),
		BeganAt:   ownership.At(r.began),
		EndedAt:   ownership.At(time.Now()),
		Command:   statusOfCommand(r.result),
	}
	if r.lease != nil {
		record := r.lease.Record()
		s.Generation, s.OperationID = &record.Generation, &record.Owner.OperationID
		s.Acknowledged = record.State == ownership.RecordIdle
	}
	s.ExitCode = codeFor(err)
	if err != nil && !r.saysNothing(err) {
		reason, message := exitOf(err).reason, err.Error()
		s.Reason, s.Message = &reason, &message
	}
	return s
}

func statusOfCommand(result *supervise.Result) *commandStatus {
	if result == nil {
		return nil
	}
	s := &commandStatus{Quiescent: result.Quiescent, Proof: result.Proof, Survivors: append([]supervise.Process{}, result.Survivors...)}
	switch exit := result.Exit; {
	case exit.Signal != 0:
		n := int(exit.Signal)
		s.Signal = &n
	case exit != supervise.Unknown:
		s.Code = &exit.Code
	}
	return s
}

// writeStatus replaces the file in one step: who waits for it never reads half.
func (r *running) writeStatus(status runStatus) error {
	b, err := json.MarshalIndent(status, "", "  ")
	if err != nil {
		return err
	}
	_, err = r.status.Write(append(b, '\n'))
	err = errors.Join(err, r.status.Close())
	if err == nil {
		err = os.Rename(r.status.Name(), r.request.statusFile)
	}
	if err != nil {
		return errors.Join(err, os.Remove(r.status.Name()))
	}
	return nil
}
