package lease

import (
	"os"
	"time"

	"holdfast/internal/procid"
	"holdfast/internal/random"
	"holdfast/ownership"
)

// Owner is what a host says of itself when it acquires a session.
type Owner struct {
	Kind    string // what kind of host this is: [a-z][a-z0-9-]{0,31}; "" is "host"
	Program string // what works in the session; its base name is kept; "" is this program
	Private bool   // keep only the key's digest in the record
	Facts   ownership.Facts
	Kin     bool // take the kin lock too, for [Lease.Kin]

	// Wait is how long to wait for a session that is held; 0 refuses at once. A
	// stranded session is never waited for.
	Wait time.Duration
	// Waiting is called once, with the first refusal, when a wait begins; it may be nil.
	Waiting func(*Refusal)
}

// record returns the owner as the record keeps it, with a fresh operation id.
func (o Owner) record() ownership.Owner {
	self, host := procid.Self(), procid.ThisHost()
	r := ownership.Owner{
		Kind:         o.Kind,
		User:         procid.UserName(),
		Host:         host.Name,
		HostID:       hostDigest(host.ID),
		BootID:       host.BootID,
		PIDNamespace: host.PIDNamespace,
		PID:          os.Getpid(),
		Program:      ownership.ProgramName(o.program(self)),
		AcquiredAt:   ownership.At(time.Now()),
	}
	if r.Kind == "" {
		r.Kind = "host"
	}
	if self.StartTicks != 0 {
		r.StartTicks = &self.StartTicks
	}
	random.Read(r.OperationID[:])
	return r
}

func (o Owner) program(self procid.Process) string {
	if o.Program == "" {
		return self.Program
	}
	return o.Program
}

func hostDigest(hex *string) *ownership.Digest {
	if hex == nil {
		return nil
	}
	d, err := ownership.ParseDigest(*hex)
	if err != nil {
		return nil
	}
	return &d
}

// CheckOwner says what in o or note no record could hold, as an
// [*ownership.FieldError], before anything is touched.
func CheckOwner(key ownership.Key, o Owner, note string) error {
	if err := checkNote(note); err != nil {
		return err
	}
	claim := ownership.Claim{Key: key, Private: o.Private, Owner: o.record(), Facts: o.Facts}
	r, err := ownership.Acquire(ownership.Current{}, claim)
	if err != nil {
		return err
	}
	return r.Validate()
}
