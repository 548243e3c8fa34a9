package ownership

// Reason is the stable word for why an operation did not succeed. Programs branch
// on it.
type Reason string

// The reasons.
const (
	ReasonInternal         Reason = "internal"
	ReasonUsage            Reason = "usage"
	ReasonUnreadableRecord Reason = "unreadable-record"
	ReasonStoreUnavailable Reason = "store-unavailable"
	ReasonIO               Reason = "io-error"
	ReasonActiveOwner      Reason = "active-owner"
	ReasonRecoveryRequired Reason = "recovery-required"
	ReasonPermissionDenied Reason = "permission-denied"
	ReasonRevisionMismatch Reason = "revision-mismatch"
	ReasonNothingToRecover Reason = "nothing-to-recover"
	ReasonForceRequired    Reason = "force-required"
	ReasonOwnershipLost    Reason = "ownership-lost"
	ReasonOutcomeUnknown   Reason = "outcome-unknown"
	ReasonNotQuiescent     Reason = "not-quiescent"
	ReasonPartial          Reason = "partial"
	ReasonAssertionFailed  Reason = "assertion-failed"
	ReasonFindings         Reason = "findings"
	ReasonWaitTimeout      Reason = "wait-timeout"
)
