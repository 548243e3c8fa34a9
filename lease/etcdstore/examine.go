package etcdstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"holdfast/lease"
)

// oldest is the oldest version of the server that the tests run against.
const oldest = "3.4"

// enoughSpace is the share of the database's quota below which nobody has to worry. The
// quota itself cannot be asked for by older servers.
const (
	usualQuota  = 2 << 30
	enoughSpace = 0.8
)

// Examine asks each server, and the cluster as a whole.
func (s *Store) Examine(ctx context.Context) ([]lease.Check, error) {
	client, err := s.link.use()
	if err != nil {
		return nil, s.failed(ctx, "examine", string(s.keys), err)
	}
	seen := s.statuses(ctx, client)
	all := s.judgeServers(seen)
	if slices.ContainsFunc(seen, serverStatus.answers) {
		all = append(all, s.judgeSpace(seen), s.judgeAlarms(ctx, client), s.judgeLease(ctx, client))
	}
	return all, ctx.Err()
}

// serverStatus is what one server says of itself.
type serverStatus struct {
	endpoint string
	answer   *clientv3.StatusResponse
	err      error
}

// answers reports whether the server can be asked at all, though perhaps not by this user.
func (s serverStatus) answers() bool {
	return s.err == nil || errors.Is(s.err, rpctypes.ErrPermissionDenied)
}

func (s *Store) statuses(ctx context.Context, client *clientv3.Client) []serverStatus {
	all := make([]serverStatus, len(s.config.Endpoints))
	var asked sync.WaitGroup
	for n, endpoint := range s.config.Endpoints {
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, s.config.patience()/2)
			defer cancel()
			answer, err := client.Status(ctx, endpoint)
			all[n] = serverStatus{endpoint, answer, err}
		})
	}
	asked.Wait()
	return all
}

func fine(name, detail string) lease.Check {
	return lease.Check{Name: name, Detail: detail, Next: []lease.Next{}}
}

func (s *Store) wrong(name, detail, why string, words ...string) lease.Check {
	argv := append([]string{"etcdctl", "--endpoints=" + strings.Join(s.config.Endpoints, ",")}, words...)
	return lease.Check{Name: name, Problem: true, Detail: detail, Next: []lease.Next{{Why: why, Argv: argv}}}
}

func (s *Store) judgeServers(seen []serverStatus) (all []lease.Check) {
	for _, one := range seen {
		switch {
		case one.err != nil && errors.Is(one.err, rpctypes.ErrPermissionDenied):
			all = append(all, fine("server", one.endpoint+" may not be asked by this user"))
		case one.err != nil:
			all = append(all, s.wrong("server", one.endpoint+" does not answer: "+s.config.knock(one.endpoint).says, "see which servers do", "endpoint", "status"))
		case one.answer.Leader == 0:
			all = append(all, s.wrong("server", one.endpoint+" has no leader: it is cut off, or most servers are down", "see which servers answer", "endpoint", "status"))
		default:
			all = append(all, judgeVersion(one))
		}
	}
	return all
}

func judgeVersion(one serverStatus) lease.Check {
	detail := fmt.Sprintf("%s answers, with etcd %s, and has a leader", one.endpoint, one.answer.Version)
	if older(one.answer.Version, oldest) {
		return lease.Check{Name: "server", Problem: true, Detail: detail + "; it is older than " + oldest,
			Next: []lease.Next{{Why: "see its version", Argv: []string{"etcdctl", "--endpoints=" + one.endpoint, "endpoint", "status"}}}}
	}
	return fine("server", detail)
}

// older compares the first two numbers of two versions. What is no version is not older.
func older(version, than string) bool {
	var a, b, c, d int
	if n, _ := fmt.Sscanf(version, "%d.%d", &a, &b); n != 2 {
		return false
	}
	if n, _ := fmt.Sscanf(than, "%d.%d", &c, &d); n != 2 {
		return false
	}
	return a < c || a == c && b < d
}

func (s *Store) judgeSpace(seen []serverStatus) lease.Check {
	var largest int64
	for _, one := range seen {
		if one.answer != nil {
			largest = max(largest, one.answer.DbSize)
		}
	}
	detail := fmt.Sprintf("the database has %d MiB", largest>>20)
	if float64(largest) > enoughSpace*usualQuota {
		return s.wrong("space", detail+", and a server takes 2048 MiB unless it is told otherwise: then nobody can acquire or release", "see how much of it is in use", "endpoint", "status", "-w", "table")
	}
	return fine("space", detail)
}

func (s *Store) judgeAlarms(ctx context.Context, client *clientv3.Client) lease.Check {
	const name = "alarms"
	ctx, cancel := context.WithTimeout(ctx, s.config.patience()/2)
	defer cancel()
	answer, err := client.AlarmList(ctx)
	switch {
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return fine(name, "this user may not ask for them")
	case err != nil:
		return s.wrong(name, "cannot be asked for: "+err.Error(), "ask for them", "alarm", "list")
	case len(answer.Alarms) == 0:
		return fine(name, "none")
	}
	var words []string
	for _, a := range answer.Alarms {
		words = append(words, alarmInWords(a))
	}
	return s.wrong(name, strings.Join(words, "; "), "see which servers raised them", "alarm", "list")
}

func alarmInWords(a *pb.AlarmMember) string {
	switch a.Alarm {
	case pb.AlarmType_NOSPACE:
		return fmt.Sprintf("NOSPACE on member %x: nobody can acquire or release until the database was compacted, defragmented and the alarm disarmed", a.MemberID)
	case pb.AlarmType_CORRUPT:
		return fmt.Sprintf("CORRUPT on member %x: its data differs from the others'", a.MemberID)
	}
	return fmt.Sprintf("%s on member %x", a.Alarm, a.MemberID)
}

// judgeLease compares how long an answer takes with what a lease leaves time for.
func (s *Store) judgeLease(ctx context.Context, client *clientv3.Client) lease.Check {
	const name = "lease"
	began := time.Now()
	_, err := s.get(ctx, "examine", s.keys.sessions(), clientv3.WithCountOnly(), clientv3.WithLimit(1))
	took := time.Since(began)
	detail := fmt.Sprintf("an answer that a majority agrees to takes %s; an owner that is not heard of for %s has lost its life key, and counts itself lost %s earlier",
		took.Round(100*time.Microsecond), s.config.TTL, (s.config.TTL / graceShare).Round(time.Second))
	switch {
	case err != nil:
		return s.wrong(name, "no answer that a majority agrees to: "+err.Error(), "see which servers answer", "endpoint", "health")
	case took > s.config.TTL/renewalsPerTTL:
		return s.wrong(name, detail+": that is too slow for this ttl", "see how fast the servers are", "check", "perf")
	}
	return fine(name, detail)
}
