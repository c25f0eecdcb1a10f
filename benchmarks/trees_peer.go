//go:build amd64 || arm64

package main

import "github.com/prysmaticlabs/gohashtree"

var (
	gohashtreeHash = gohashtree.Hash
	treePeers      = []string{"github.com/prysmaticlabs/gohashtree"}
)
