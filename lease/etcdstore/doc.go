// Package etcdstore keeps sessions in an etcd cluster, for hosts that share them across
// machines.
//
// # Vocabulary
//
// A store is a prefix of a cluster's keys. A term is one lease of this process with the
// cluster: it is renewed while the process can reach a majority, and it is over, for
// good, when the process could not renew it in time. A life key is the life lock of a
// generation; it lives and dies with a term. The record of a session, its past and its
// events never do:
//
//	PREFIX/sessions/DIGEST/record            the record
//	PREFIX/sessions/DIGEST/past/REVISION     every record ever published
//	PREFIX/sessions/DIGEST/life/GENERATION   on the owner's lease: who holds it
//	PREFIX/sessions/DIGEST/pulse             on the owner's lease while there is one
//	PREFIX/sessions/DIGEST/verdict
//	PREFIX/events/DIGEST/REVISION            when and from where each record was published
//	PREFIX/notes/DIGEST/TIME.HASH            what administrators did to a session
//	PREFIX/timeline/TIME/DIGEST/…           the names of both, by time
//	PREFIX/quarantine/DIGEST/REVISION        what was no record
//
// # Guarantees
//
// Those of lease.Store. A publish is one transaction: the record is the one that was
// compared, the life key is the publisher's own, and record, past and event are written
// together or not at all. A publish is sent at most once; one without an answer is
// lease.ErrOutcomeUnknown. A process that cannot renew its term counts itself lost
// before the cluster does, by a clock of its own that nobody sets and that goes on while
// the machine sleeps.
//
// # Non-guarantees
//
// A life key that is gone proves nothing about the process: its host may be cut off from
// the cluster and alive. Only that host can prove more, so everywhere else the owner is
// unproven. Two machines with one machine id and one name, both outside of containers,
// are taken for one machine that was restarted. A process that is stopped cannot stop
// its children: whatever they write to should refuse a smaller generation.
package etcdstore
