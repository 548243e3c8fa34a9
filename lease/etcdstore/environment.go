package etcdstore

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"holdfast/lease"
)

// What an address has no place for comes from the environment.
const (
	UserVariable         = "HOLDFAST_ETCD_USER"
	PasswordVariable     = "HOLDFAST_ETCD_PASSWORD"
	PasswordFileVariable = "HOLDFAST_ETCD_PASSWORD_FILE"
	CAVariable           = "HOLDFAST_ETCD_CACERT"
	CertVariable         = "HOLDFAST_ETCD_CERT"
	KeyVariable          = "HOLDFAST_ETCD_KEY"
	TLSVariable          = "HOLDFAST_ETCD_TLS" // 1: TLS, believing whom the system believes
)

// SetEnvironment adds the credentials that the environment names.
func (c *Config) SetEnvironment(getenv func(string) string) error {
	c.Username, c.Password = getenv(UserVariable), getenv(PasswordVariable)
	if path := getenv(PasswordFileVariable); path != "" {
		b, err := os.ReadFile(path)
		if err != nil {
			return badEnvironment(PasswordFileVariable, err)
		}
		c.Password = strings.TrimRight(string(b), "\r\n")
	}
	if c.Username == "" && c.Password != "" {
		return badEnvironment(UserVariable, errors.New("there is a password and no user"))
	}
	if c.Username != "" && c.Password == "" {
		return badEnvironment(PasswordFileVariable, errors.New("there is a user and no password"))
	}
	c.TLS = Files{CA: getenv(CAVariable), Cert: getenv(CertVariable), Key: getenv(KeyVariable), System: getenv(TLSVariable) == "1"}
	_, err := c.TLS.config()
	return err
}

func badEnvironment(name string, err error) error {
	return &lease.StoreError{
		Kind: lease.ErrStoreUnavailable, Op: "read " + name, Err: err,
		Advice: "set " + name + " right, or unset it",
	}
}

// config reads the files; nil where no TLS is asked for.
func (f Files) config() (*tls.Config, error) {
	if !f.enabled() {
		return nil, nil
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if f.CA != "" {
		pem, err := os.ReadFile(f.CA)
		if err != nil {
			return nil, badEnvironment(CAVariable, err)
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, badEnvironment(CAVariable, fmt.Errorf("%q holds no certificate in PEM", f.CA))
		}
	}
	if (f.Cert == "") != (f.Key == "") {
		return nil, badEnvironment(CertVariable, fmt.Errorf("%s and %s go together", CertVariable, KeyVariable))
	}
	if f.Cert != "" {
		pair, err := tls.LoadX509KeyPair(f.Cert, f.Key)
		if err != nil {
			return nil, badEnvironment(CertVariable, err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
