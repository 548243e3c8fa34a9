package procid

import (
	"encoding/hex"
	"os"
	"strings"

	"lukechampine.com/blake3"
)

// Host is the machine, boot and pid namespace in which this process runs. A nil member is not known here.
type Host struct {
	// Name is the host name of this moment (a host can be renamed); never empty, "unknown" when the system has none.
	Name string
	// ID is BLAKE3-256 of the machine id, in lower-case hex: equal on one machine, and the id itself is not told.
	ID *string
	// BootID is the kernel's random uuid of this boot, shared by all containers on it.
	BootID *string
	// PIDNamespace is the inode number of our pid namespace.
	PIDNamespace *uint64
}

// ThisHost reads what identifies this host. What cannot be read is nil; it never fails. But for the name, what was read
// once is not read again: none of it changes while this process lives.
func ThisHost() Host {
	return Host{
		Name:         hostName(),
		ID:           thisMachine.get(func() *string { return hashedID(machineID()) }),
		BootID:       thisBoot.get(bootID),
		PIDNamespace: thisNamespace.get(ownNamespace),
	}
}

var (
	thisMachine   lasting[string]
	thisBoot      lasting[string]
	thisNamespace lasting[uint64]
)

func hostName() string {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "unknown"
	}
	return strings.ToValidUTF8(name, "\uFFFD")
}

// hashedID is nil for an empty machine id.
func hashedID(id string) *string {
	if id == "" {
		return nil
	}
	sum := blake3.Sum256([]byte(id))
	return new(hex.EncodeToString(sum[:]))
}
