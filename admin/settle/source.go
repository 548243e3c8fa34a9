package settle

// Source is where a decision came from.
type Source string

// The sources.
const (
	SourceAgent         Source = "agent"
	SourceReviewGate    Source = "review_gate"
	SourceVerify        Source = "verify"
	SourceScriptVerify  Source = "script_verify"
	SourceBackground    Source = "background"
	SourceClarification Source = "clarification"
	SourceAbort         Source = "abort"
	SourceInterrupted   Source = "interrupted"
	SourceBudget        Source = "budget"
	SourceTimeout       Source = "timeout"
	SourceProviderError Source = "provider_error"
	SourceOperator      Source = "operator"
	SourceFailover      Source = "failover"
	SourceOrchestrator  Source = "orchestrator"
)

// Sources lists every source.
var Sources = []Source{
	SourceAgent, SourceReviewGate, SourceVerify, SourceScriptVerify, SourceBackground, SourceClarification, SourceAbort,
	SourceInterrupted, SourceBudget, SourceTimeout, SourceProviderError, SourceOperator, SourceFailover, SourceOrchestrator,
}
