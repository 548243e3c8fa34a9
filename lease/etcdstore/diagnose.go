package etcdstore

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"
)

// knockPatience is how long a server may take to let itself be connected to.
const knockPatience = time.Second

// diagnosed says why each server gives no answer. What the client library reports is a
// deadline most of the time.
func (s *Store) diagnosed(err error) (cause error, advice string) {
	var all []string
	for n, k := range s.config.knocks() {
		all = append(all, s.config.Endpoints[n]+": "+k.says)
	}
	return fmt.Errorf("no answer from the cluster (%s): %w", strings.Join(all, "; "), err),
		"see that etcd runs at these addresses and has a leader: etcdctl --endpoints=" + strings.Join(s.config.Endpoints, ",") + " endpoint status"
}

// knock is what came of connecting to one server.
type knock struct {
	says  string
	final bool // it will not come right by waiting a little
}

// knocks connects to every server at once.
func (c Config) knocks() []knock {
	all := make([]knock, len(c.Endpoints))
	var asked sync.WaitGroup
	for n, endpoint := range c.Endpoints {
		asked.Go(func() { all[n] = c.knock(endpoint) })
	}
	asked.Wait()
	return all
}

// knock connects to one server as the client does and says what came of it.
func (c Config) knock(endpoint string) knock {
	dialer := &net.Dialer{Timeout: knockPatience}
	conn, err := dialer.Dial("tcp", endpoint)
	if err != nil {
		return knock{reason(err), isFinal(err)}
	}
	defer conn.Close()
	want, err := c.TLS.config()
	if err != nil {
		return knock{err.Error(), true}
	}
	speaks, err := handshake(conn, endpoint, want)
	switch {
	case want == nil && speaks:
		return knock{"it wants TLS: set " + CAVariable, true}
	case want == nil:
		return knock{says: "it can be connected to"}
	case err != nil && !speaks:
		return knock{"it does not speak TLS, which " + CAVariable + " and the like ask for", !isTimeout(err)}
	case rejected(err):
		return knock{"it does not take our certificate (" + reason(err) + "): see " + CertVariable, true}
	case err != nil:
		return knock{reason(err), !isTimeout(err)}
	}
	return knock{says: "it can be connected to"}
}

// rejected reports whether the other side said in TLS that it does not want us.
func rejected(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error"
}

// isFinal reports whether nobody listens there, or there is no such place.
func isFinal(err error) bool {
	var name *net.DNSError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &name) && name.IsNotFound
}

func isTimeout(err error) bool {
	var slow net.Error
	return errors.As(err, &slow) && slow.Timeout()
}

// handshake reports whether the other side speaks TLS at all.
func handshake(conn net.Conn, endpoint string, want *tls.Config) (speaks bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), knockPatience)
	defer cancel()
	host, _, err := net.SplitHostPort(endpoint)
	if err != nil {
		return false, err
	}
	c := &tls.Config{InsecureSkipVerify: true}
	if want != nil {
		c = want.Clone()
	}
	c.ServerName, c.NextProtos = host, []string{"h2"}
	client := tls.Client(conn, c)
	err = client.HandshakeContext(ctx)
	var verify *tls.CertificateVerificationError
	switch {
	case err == nil:
		return true, greeted(client)
	case errors.As(err, &verify), rejected(err):
		return true, err
	}
	return false, err
}

// greeted waits for the first word of a server, which looks at our certificate only after
// the handshake.
func greeted(conn net.Conn) error {
	if err := conn.SetReadDeadline(time.Now().Add(knockPatience)); err != nil {
		return err
	}
	_, err := conn.Read(make([]byte, 1))
	return err
}

// reason leaves out of a failed connection what the message says anyway.
func reason(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err.Error()
	}
	return err.Error()
}
