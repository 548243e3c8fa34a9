package etcdstore

import (
	"holdfast/internal/procid"
	"holdfast/ownership"
)

// hostMatch compares where a record was made with this machine.
type hostMatch int

const (
	elsewhere hostMatch = iota
	sameBoot            // this machine, and it has not restarted since
	restarted           // this machine, another boot
)

// initialNamespace is the inode number of the pid namespace that every Linux kernel
// starts with. A process in it is in no container.
const initialNamespace = 0xEFFFFFFC

// matchHost believes a machine id less than a store on a local disk has to: containers
// are copied with it, and one may take the other's place, and name, while that one is cut
// off and alive. A boot id is of one kernel.
func matchHost(o ownership.Owner, here procid.Host) hostMatch {
	if o.BootID == nil || here.BootID == nil {
		return elsewhere
	}
	if *o.BootID == *here.BootID {
		return sameBoot
	}
	sameID := o.HostID != nil && here.ID != nil && o.HostID.String() == *here.ID
	if sameID && o.Host == here.Name && isInitial(o.PIDNamespace) && isInitial(here.PIDNamespace) {
		return restarted
	}
	return elsewhere
}

func isInitial(namespace *uint64) bool { return namespace != nil && *namespace == initialNamespace }
