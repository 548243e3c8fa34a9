//go:build !linux

package random

import "crypto/rand"

func read(b []byte) error {
	_, err := rand.Read(b)
	return err
}
