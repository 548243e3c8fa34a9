package etcdstore

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"holdfast/lease"
)

// Scheme begins the address of a store of this kind.
const Scheme = "etcd://"

// The bounds of the time after which the cluster lets go of an owner that it does not
// hear of.
const (
	DefaultTTL = 10 * time.Second
	MinTTL     = 2 * time.Second
	MaxTTL     = time.Hour
)

const (
	defaultPort   = "2379"
	defaultPrefix = "holdfast"
)

// Config says where a store is and as whom to use it.
type Config struct {
	Endpoints []string // HOST:PORT
	Prefix    string   // of every key, without a slash at its ends
	TTL       time.Duration

	Username, Password string
	TLS                Files

	answerWithin time.Duration // zero: what is usual
}

// patience is how long the cluster may take for one answer.
func (c Config) patience() time.Duration { return cmp.Or(c.answerWithin, usualPatience) }

// Files names the certificates for TLS, in PEM. The zero value is no TLS.
type Files struct {
	CA        string // whom to believe; "" is whom the system believes
	Cert, Key string // who we are; both or neither
	System    bool   // TLS even without any file
}

func (f Files) enabled() bool { return f != Files{} }

// ParseAddress reads etcd://HOST[:PORT][,HOST[:PORT]…][/PREFIX][?ttl=DURATION]. Passwords
// have no place in it: it is stored, shown and passed on. An error is a
// [*lease.StoreError] and says what to type instead; it never repeats a password.
func ParseAddress(address string) (Config, error) {
	rest, ok := strings.CutPrefix(address, Scheme)
	if !ok {
		return Config{}, badAddress(address, errors.New("it does not begin with "+Scheme))
	}
	rest, query, _ := strings.Cut(rest, "?")
	hosts, prefix, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return Config{}, &lease.StoreError{
			Kind: lease.ErrStoreUnavailable, Op: "open store", Err: errors.New("an etcd address has no place for a user or a password"),
			Advice: "set HOLDFAST_ETCD_USER and HOLDFAST_ETCD_PASSWORD_FILE instead, and name the store as etcd://HOST:PORT/PREFIX",
		}
	}
	c := Config{TTL: DefaultTTL}
	err := errors.Join(c.setEndpoints(hosts), c.setPrefix(prefix), c.setQuery(query))
	if err != nil {
		return Config{}, badAddress(address, err)
	}
	return c, nil
}

// badAddress leaves out of the address where somebody may have put a password.
func badAddress(address string, err error) error {
	shown, _, _ := strings.Cut(address, "?")
	if secret := strings.LastIndex(shown, "@"); secret >= 0 {
		shown = shown[secret+1:]
	}
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "open store", Path: shown, Err: err,
		Advice: "name it like etcd://HOST:2379,HOST:2379/PREFIX?ttl=10s",
	}
}

func (c *Config) setEndpoints(hosts string) error {
	for _, host := range strings.Split(hosts, ",") {
		endpoint, err := endpointOf(host)
		if err != nil {
			return err
		}
		c.Endpoints = append(c.Endpoints, endpoint)
	}
	slices.Sort(c.Endpoints)
	c.Endpoints = slices.Compact(c.Endpoints)
	return nil
}

// endpointOf adds the port where there is none.
func endpointOf(host string) (string, error) {
	if host == "" {
		return "", errors.New("a host is missing")
	}
	u, err := url.Parse("//" + host)
	if err != nil || u.Hostname() == "" || u.Host != host {
		return "", fmt.Errorf("%q is no HOST:PORT", host)
	}
	if strings.Contains(u.Hostname(), ":") && !strings.HasPrefix(host, "[") {
		return "", fmt.Errorf("%q has several colons: an IPv6 address stands in brackets, like [::1]:%s", host, defaultPort)
	}
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("%q has no port between 1 and 65535", host)
	}
	return net.JoinHostPort(u.Hostname(), port), nil
}

// setPrefix keeps the keys of one prefix apart from those of any other.
func (c *Config) setPrefix(prefix string) error {
	c.Prefix = strings.Trim(prefix, "/")
	if c.Prefix == "" {
		c.Prefix = defaultPrefix
	}
	for _, r := range c.Prefix {
		if r < '!' || r > '~' || strings.ContainsRune(`#%"'\`, r) {
			return fmt.Errorf("the prefix %q has a character beyond letters, digits and plain punctuation", c.Prefix)
		}
	}
	return nil
}

func (c *Config) setQuery(query string) error {
	values, err := url.ParseQuery(query)
	if err != nil {
		return err
	}
	for name, all := range values {
		if name != "ttl" || len(all) != 1 {
			return fmt.Errorf("%q is no option; the one there is is ttl, once", name)
		}
		if c.TTL, err = time.ParseDuration(all[0]); err != nil {
			return fmt.Errorf("ttl %q is no duration", all[0])
		}
	}
	if c.TTL < MinTTL || c.TTL > MaxTTL || c.TTL%time.Second != 0 {
		return fmt.Errorf("ttl %s is not a number of whole seconds between %s and %s", c.TTL, MinTTL, MaxTTL)
	}
	return nil
}

// Address returns the address that reads as c, without what is secret.
func (c Config) Address() string {
	s := Scheme + strings.Join(c.Endpoints, ",") + "/" + c.Prefix
	if c.TTL != DefaultTTL {
		s += "?ttl=" + c.TTL.String()
	}
	return s
}
