package admin

import (
	"fmt"

	"holdfast/internal/procid"
	"holdfast/lease"
	"holdfast/ownership"
)

// outageSize is how many owners must look gone at once for that to be one outage.
const outageSize = 5

// outage counts the active sessions whose owners ran in this boot. What another boot
// left is gone for a reason that everybody knows.
type outage struct{ gone, active int }

func (o *outage) count(i lease.Inspection, here procid.Host) {
	if i.Record == nil || i.Record.State != ownership.RecordActive || here.BootID == nil {
		return
	}
	if boot := i.Record.Owner.BootID; boot == nil || *boot != *here.BootID {
		return
	}
	o.active++
	if i.State == ownership.StateStranded {
		o.gone++
	}
}

// is reports whether what looks like many deaths is rather one: a probe that lies, or a
// host that took all with it and whom somebody should look at first.
func (o outage) is() bool { return o.gone >= outageSize && 2*o.gone > o.active }

// hold keeps a session from being recovered in an outage.
func (o outage) hold(d decision) decision {
	if !o.is() || d.action != ReconcileRecover {
		return d
	}
	why := fmt.Sprintf("%d of %d owners of this boot look gone at once, which is one outage rather than so many deaths", o.gone, o.active)
	return decision{ReconcileBlocked, why + " (" + d.reason + ")", Waiting, PassRecover | PassMassDeath}
}
