//go:build !amd64

package main

import "hash"

// serverPeers returns none: minio's server exists on amd64 alone.
func serverPeers(func(newHash func() hash.Hash) func(dst [][32]byte)) []impl { return nil }
