package main

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// peers are the modules that this library is measured beside.
var peers = append([]string{
	"github.com/btcsuite/btcd",
	"github.com/celestiaorg/nmt",
	"github.com/cloudflare/circl",
	"github.com/cometbft/cometbft",
	"github.com/minio/sha256-simd",
	"github.com/transparency-dev/merkle",
	"github.com/zeebo/blake3",
	"golang.org/x/crypto",
	"golang.org/x/mod",
	"lukechampine.com/blake3",
}, treePeers...)

// peerVersions returns the peers with their versions. It is an error if a
// workspace or a replacement puts a folder of this machine in the place of a
// published peer: it could be this library under another name.
func peerVersions(info *debug.BuildInfo) ([]string, error) {
	var versions []string
	for _, path := range peers {
		i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == path })
		if i < 0 {
			return nil, fmt.Errorf("peer %s is not in this program", path)
		}
		m := info.Deps[i]
		if m.Replace != nil {
			return nil, fmt.Errorf("peer %s is replaced by %s", path, strings.TrimSpace(m.Replace.Path+" "+m.Replace.Version))
		}
		if m.Sum == "" {
			return nil, fmt.Errorf("peer %s %s is a folder, not the module that was published", path, m.Version)
		}
		versions = append(versions, path+" "+m.Version)
	}
	return versions, nil
}
