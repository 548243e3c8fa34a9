package storetest

import (
	"testing"

	"holdfast/lease"
)

// Backend is one fresh store.
type Backend struct {
	// Open returns another handle on the store each time. The store does not exist
	// before something is written.
	Open func() lease.Store
	// Contents returns everything that the store keeps, names and bytes. Nil: the store
	// cannot tell.
	Contents func() string
	// Times returns when each part of the store was last written to, whatever was
	// written. Nil: the store cannot tell.
	Times func() string
}

// Run holds every store that fresh makes to the contract of lease.Store and, where it is
// one, of lease.Quarantiner and lease.Verdicts. Stores that fresh made do not know each
// other.
func Run(t *testing.T, fresh func(t *testing.T) Backend) {
	tests := []struct {
		name string
		run  func(t *testing.T, s *suite)
	}{
		{"VacantIsEmpty", testVacant},
		{"IdentityIsOfTheStore", testIdentity},
		{"ReadingWritesNothing", testReadingWritesNothing},
		{"EndedContextChangesNothing", testEndedContext},
		{"PublishReplacesTheRecord", testPublish},
		{"PublishKeepsEveryByte", testEveryByte},
		{"PublishOverAnotherRevisionConflicts", testConflict},
		{"PublishWithoutHoldIsRefused", testPublishWithoutHold},
		{"OneOfManyPublishersWins", testManyPublishers},
		{"OneOfManyClaimantsWins", testManyClaimants},
		{"HoldExcludes", testHoldExcludes},
		{"HoldIsOfOneGeneration", testHoldIsOfOneGeneration},
		{"OneOfManyHoldsWins", testManyHolds},
		{"KinLock", testKin},
		{"HoldersAreNamed", testHolders},
		{"ProbeOfALivingOwner", testProbeAlive},
		{"ProbeOfADeadOwner", testProbeDead},
		{"ProbeOfAnAbandonedSession", testProbeAbandoned},
		{"CyclingOwnerIsNeverCalledDead", testCyclingOwner},
		{"PastIsTheChain", testPast},
		{"PastSkipsWhatDidNotHappen", testPastSkips},
		{"ListNamesEverySession", testList},
		{"PulseIsReplaced", testPulse},
		{"WatchEndsWithItsContext", testWatchContext},
		{"WatchSeesALoss", testWatchLoss},
		{"LostOwnerCannotPublish", testLostOwner},
		{"AcquireAndRelease", testAcquire},
		{"QuarantineKeepsTheGeneration", testQuarantine},
		{"TracesOfADamagedSession", testTraces},
		{"VerdictIsReplaced", testVerdict},
		{"VerdictOnAnotherRecordConflicts", testVerdictConflict},
		{"VerdictIsBounded", testVerdictBounds},
		{"OneOfManyVerdictsStays", testManyVerdicts},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, newSuite(t, fresh))
		})
	}
}
