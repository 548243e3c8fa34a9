//go:build !linux

package tmux

import "context"

// listensAt cannot be told here; see the package comment.
func listensAt(string) (bool, error) { return false, nil }

// IsServer cannot be told here, where nothing that it would spare can be stopped.
func IsServer(int) bool { return false }

// elsewhere cannot be told here; see the package comment.
func elsewhere(context.Context, []server) ([]running, error) { return nil, nil }

// ends is not asked here, where elsewhere finds none.
func (r running) ends(context.Context) bool { return false }
