package main

import (
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"fmt"

	celestia "github.com/celestiaorg/nmt"

	"github.com/sha256-simd/sha256-simd/hashtree/nmt"
)

// nmtRows is namespaced Merkle trees and Celestia's squares, beside as many
// messages of the same bytes and beside celestiaorg/nmt.
func nmtRows() []row {
	trees := nmtTrees(256, 256, 512)
	// The same trees again: a row has one base, and each of the two has a floor.
	beside := trees
	beside.bench, beside.base = "NMTCelestia", "nmt"
	return []row{trees, beside, nmtSquare(256, 512)}
}

// nmtTrees is trees of leaves whose namespaces rise by threes.
func nmtTrees(trees, leaves, size int) row {
	return row{
		bench: "NMT", load: fmt.Sprintf("trees=%d/leaves=%d/size=%d", trees, leaves, size),
		bytes: trees * leaves * size, digests: trees, base: "crypto", byCPU: true,
		impls: func() []impl {
			data := messages(same(trees*leaves, size)...)
			namespaces := make([]nmt.Namespace, leaves)
			for i := range namespaces {
				binary.BigEndian.PutUint32(namespaces[i][nmt.NamespaceSize-4:], uint32(i/3))
			}
			nodes, roots := make([]nmt.Node, len(data)), make([]nmt.Node, trees)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					for i := 0; i < len(data); i += leaves {
						must(nmt.LeafHashes(nodes[i:i+leaves], namespaces, data[i:i+leaves]))
					}
					must(nmt.Roots(roots, nodes, leaves, nmt.Options{}))
					for i, r := range roots {
						dst[i] = r.Digest
					}
				}},
				loopOfBytes(trees*leaves, 1+nmt.NamespaceSize+size, trees*(leaves-1), 1+2*90),
				{name: "nmt", run: func(dst [][32]byte) {
					for i := range dst {
						tree := celestia.New(stdsha256.New(), celestia.NamespaceIDSize(nmt.NamespaceSize), celestia.IgnoreMaxNamespace(false))
						for j, leaf := range data[i*leaves : (i+1)*leaves] {
							must(tree.Push(append(namespaces[j][:], leaf...)))
						}
						root, err := tree.Root()
						must(err)
						dst[i] = [32]byte(root[2*nmt.NamespaceSize:])
					}
				}},
			}
		},
	}
}

// nmtSquare is the roots of an extended square.
func nmtSquare(width, size int) row {
	return row{
		bench: "NMTSquare", load: fmt.Sprintf("width=%d/size=%d", width, size),
		bytes: width * width * size, digests: 2 * width, base: "crypto", byCPU: true,
		impls: func() []impl {
			shares := messages(same(width*width, size)...)
			for i := range width / 2 * width {
				if i%width < width/2 {
					clear(shares[i][:nmt.NamespaceSize]) // one namespace
				}
			}
			rows, cols := make([]nmt.Node, width), make([]nmt.Node, width)
			return []impl{
				{name: "sha256-simd", run: func(dst [][32]byte) {
					must(nmt.Square(rows, cols, shares, width))
					for i := range width {
						dst[i], dst[width+i] = rows[i].Digest, cols[i].Digest
					}
				}},
				// In each direction by itself: each share is hashed twice.
				loopOfBytes(2*width*width, 1+nmt.NamespaceSize+size, 2*width*(width-1), 1+2*90),
			}
		},
	}
}

// loopOfBytes hashes n messages of size bytes and then others, by crypto/sha256.
func loopOfBytes(n, size, others, otherSize int) impl {
	// As much memory as the messages would have, at most 16 MiB of it.
	data := random(max(otherSize, min(16<<20, n*size)))
	return impl{name: "crypto", other: true, run: func([][32]byte) {
		at := 0
		for range n {
			if at+size > len(data) {
				at = 0
			}
			stdsha256.Sum256(data[at:][:size])
			at += size
		}
		for range others {
			stdsha256.Sum256(data[:otherSize])
		}
	}}
}
