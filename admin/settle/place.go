package settle

import (
	"fmt"

	"holdfast/ownership"
)

// Place names one acquisition of one session for certain.
type Place struct {
	KeyDigest  ownership.Digest
	Generation ownership.Generation
	ID         ownership.OperationID // of the attempt that acquired it
}

// PlaceOf returns the place of the latest execution that a record tells of, and false
// where it tells of none: after a quarantine nobody knows who owned the session.
func PlaceOf(r *ownership.Record) (Place, bool) {
	if r == nil || r.Owner == nil {
		return Place{}, false
	}
	g := r.Generation
	if r.Release != nil && *r.Release == ownership.ReleaseForced {
		g-- // the recovery took a generation for itself
	}
	return Place{r.KeyDigest, g, r.Owner.OperationID}, true
}

// differs says how other is another place than p, or "".
func (p Place) differs(other Place) string {
	switch {
	case other.KeyDigest != p.KeyDigest:
		return "it is for session " + other.KeyDigest.String()
	case other.Generation != p.Generation:
		return fmt.Sprintf("it is for generation %d, not %d", other.Generation, p.Generation)
	case other.ID != p.ID:
		return fmt.Sprintf("it is for operation %s, not %s", other.ID, p.ID)
	}
	return ""
}
