package main

import (
	stdsha256 "crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/transparency-dev/merkle/proof"
	transparency "github.com/transparency-dev/merkle/rfc6962"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/composite"
	"github.com/sha256-simd/sha256-simd/hashtree"
	"github.com/sha256-simd/sha256-simd/hashtree/bitcoin"
	"github.com/sha256-simd/sha256-simd/hashtree/nmt"
	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
)

// A loopTree is a binary tree that hashes one node after the other.
type loopTree struct {
	node func(left, right *[32]byte) [32]byte
	// odd is the node above one without a sibling.
	odd func(last *[32]byte, height int) [32]byte
}

// climb replaces a level by the level above it.
func (t loopTree) climb(level [][32]byte, height int) [][32]byte {
	n := len(level) / 2
	for i := range n {
		level[i] = t.node(&level[2*i], &level[2*i+1])
	}
	if len(level)%2 == 1 {
		level[n] = t.odd(&level[2*n], height)
		n++
	}
	return level[:n]
}

// root overwrites the level.
func (t loopTree) root(level [][32]byte) [32]byte {
	for height := 0; len(level) > 1; height++ {
		level = t.climb(level, height)
	}
	return level[0]
}

// path appends the siblings on the path from a node of the level to the root. The
// sibling of a node that has none is itself, or is left out. It overwrites the level.
func (t loopTree) path(siblings, level [][32]byte, index int, itself bool) [][32]byte {
	for height := 0; len(level) > 1; height++ {
		if i := index ^ 1; i < len(level) {
			siblings = append(siblings, level[i])
		} else if itself {
			siblings = append(siblings, level[index])
		}
		level, index = t.climb(level, height), index/2
	}
	return siblings
}

// Trees, by a function for one message. Each is for one goroutine.

// rfcTree is the tree of RFC 6962.
func rfcTree(sum func([]byte) [32]byte) loopTree {
	buf := make([]byte, 65)
	buf[0] = 1
	return loopTree{
		node: func(left, right *[32]byte) [32]byte {
			copy(buf[1:], left[:])
			copy(buf[33:], right[:])
			return sum(buf)
		},
		odd: func(last *[32]byte, _ int) [32]byte { return *last },
	}
}

// plainTree hashes nodes of 64 bytes; nodes without a sibling get a tree of zeros.
func plainTree(sum func([]byte) [32]byte) loopTree {
	buf := make([]byte, 64)
	t := loopTree{node: func(left, right *[32]byte) [32]byte {
		copy(buf, left[:])
		copy(buf[32:], right[:])
		return sum(buf)
	}}
	var zeros [64][32]byte
	for i := range zeros[1:] {
		zeros[i+1] = t.node(&zeros[i], &zeros[i])
	}
	t.odd = func(last *[32]byte, height int) [32]byte { return t.node(last, &zeros[height]) }
	return t
}

// bitcoinTree hashes nodes of 64 bytes twice; the last of an odd number is its own
// sibling.
func bitcoinTree(sum func([]byte) [32]byte) loopTree {
	plain := plainTree(sum)
	digest := make([]byte, 32)
	t := loopTree{node: func(left, right *[32]byte) [32]byte {
		d := plain.node(left, right)
		copy(digest, d[:])
		return sum(digest)
	}}
	t.odd = func(last *[32]byte, _ int) [32]byte { return t.node(last, last) }
	return t
}

// byTree returns a loop of crypto/sha256 and one of this library's Sum256, each with a
// tree of its own.
func byTree(tree func(sum func([]byte) [32]byte) loopTree, run func(t loopTree) func(dst [][32]byte)) []impl {
	return []impl{stdLoop(run(tree(stdsha256.Sum256))), ownLoop(run(tree(sha256.Sum256)))}
}

// digests returns n random digests.
func digests(n int) [][32]byte {
	d := make([][32]byte, n)
	copy(bytesOf(d), random(32*n))
	return d
}

// leavesRoot is trees over messages.
func (s *sweeper) leavesRoot(l list) {
	n := len(l.sizes)
	impls := func(own impl, msgs [][]byte) []impl {
		level := make([][32]byte, n)
		leaves := appended([]byte{0}, msgs)
		return append([]impl{own}, byTree(rfcTree, func(t loopTree) func([][32]byte) {
			return func(dst [][32]byte) {
				leaves(level)
				dst[0] = t.root(level)
			}
		})...)
	}
	allowance := oneAllowance + eachAllowance*float64(n)
	s.add("rfc6962.Root", l.load(), 1, allowance, func() []impl {
		msgs := l.where.place(l.sizes)
		return impls(library(func(dst [][32]byte) { dst[0] = rfc6962.Root(msgs) }), msgs)
	})
	s.add("rfc6962.Range.Append", l.load(), 1, allowance, func() []impl {
		msgs := l.where.place(l.sizes)
		return impls(library(func(dst [][32]byte) {
			var r rfc6962.Range
			r.Append(msgs)
			dst[0] = r.Root()
		}), msgs)
	})
}

// nodes is trees over n leaves or pairs of nodes, and the proofs of a leaf.
func (s *sweeper) nodes(n int) {
	load := fmt.Sprintf("n=%d", n)
	// level is a cell of a call that makes n nodes of 2n.
	level := func(call string, tree func(sum func([]byte) [32]byte) loopTree, run func(dst, src [][32]byte) error) {
		s.addMany(call, load, n, func() []impl {
			src := digests(2 * n)
			return append([]impl{library(func(dst [][32]byte) { must(run(dst, src)) })}, byTree(tree, func(t loopTree) func([][32]byte) {
				return func(dst [][32]byte) {
					for i := range dst {
						dst[i] = t.node(&src[2*i], &src[2*i+1])
					}
				}
			})...)
		})
	}
	level("hashtree.Hash", plainTree, hashtree.Hash)
	level("hashtree.HashByteSlice", plainTree, func(dst, src [][32]byte) error {
		return hashtree.HashByteSlice(bytesOf(dst), bytesOf(src))
	})
	level("rfc6962.Nodes", rfcTree, rfc6962.Nodes)
	level("bitcoin.Nodes", bitcoinTree, bitcoin.Nodes)

	// tree is a cell of a call that makes at most k digests of the tree over n.
	tree := func(call, load string, k int, tree func(sum func([]byte) [32]byte) loopTree, run func(dst, leaves [][32]byte),
		loop func(t loopTree, dst, level [][32]byte)) {
		s.add(call, load, k, oneAllowance+eachAllowance*float64(n), func() []impl {
			leaves, level := digests(n), make([][32]byte, n)
			return append([]impl{library(func(dst [][32]byte) { run(dst, leaves) })}, byTree(tree, func(t loopTree) func([][32]byte) {
				return func(dst [][32]byte) {
					copy(level, leaves)
					loop(t, dst, level)
				}
			})...)
		})
	}
	root := func(t loopTree, dst, level [][32]byte) { dst[0] = t.root(level) }
	tree("hashtree.Root", load, 1, plainTree, func(dst, leaves [][32]byte) {
		r, err := hashtree.Root(leaves, 0)
		must(err)
		dst[0] = r
	}, root)
	tree("bitcoin.Root", load, 1, bitcoinTree, func(dst, leaves [][32]byte) { dst[0], _ = bitcoin.Root(leaves) }, root)
	tree("rfc6962.RootOfHashes", load, 1, rfcTree, func(dst, leaves [][32]byte) { dst[0] = rfc6962.RootOfHashes(leaves) }, root)
	tree("rfc6962.Range.AppendHashes", load, 1, rfcTree, func(dst, leaves [][32]byte) {
		var r rfc6962.Range
		r.AppendHashes(leaves)
		dst[0] = r.Root()
	}, root)
	const height = 64
	index := s.r.IntN(n)
	at := fmt.Sprintf("%s/index=%d", load, index)
	tree("bitcoin.Branch", at, height, bitcoinTree, func(dst, leaves [][32]byte) {
		branch, err := bitcoin.Branch(leaves, index)
		must(err)
		copy(dst, branch)
	}, func(t loopTree, dst, level [][32]byte) { t.path(dst[:0], level, index, true) })
	tree("rfc6962.InclusionProof", at, height, rfcTree, func(dst, leaves [][32]byte) {
		siblings, err := rfc6962.InclusionProof(leaves, index)
		must(err)
		copy(dst, siblings)
	}, func(t loopTree, dst, level [][32]byte) { t.path(dst[:0], level, index, false) })
	// Of the proofs of all leaves, one is looked at.
	tree("rfc6962.InclusionProofs", at, height, rfcTree, func(dst, leaves [][32]byte) {
		copy(dst, rfc6962.InclusionProofs(leaves)[index])
	}, func(t loopTree, dst, level [][32]byte) {
		_, proofs := t.proofs(level)
		copy(dst, proofs[index])
	})
	tree("rfc6962.RootAndProofs", at, 1+height, rfcTree, func(dst, leaves [][32]byte) {
		root, proofs := rfc6962.RootAndProofs(leaves)
		dst[0] = root
		copy(dst[1:], proofs[index])
	}, func(t loopTree, dst, level [][32]byte) {
		root, proofs := t.proofs(level)
		dst[0] = root
		copy(dst[1:], proofs[index])
	})
	old := s.between(1, n)
	from := fmt.Sprintf("%s/old=%d", load, old)
	tree("rfc6962.ConsistencyProof", from, height, rfcTree, func(dst, leaves [][32]byte) {
		nodes, err := rfc6962.ConsistencyProof(leaves, old)
		must(err)
		copy(dst, nodes)
	}, func(t loopTree, dst, level [][32]byte) { t.consistency(dst[:0], level, old, true) })
	s.proofs(n, index, old)

	s.addMany("bitcoin.HeaderHashes", load, n, func() []impl {
		headers := headers(n)
		return append([]impl{library(func(dst [][32]byte) { bitcoin.HeaderHashes(dst, headers) })}, headerLoops(headers)...)
	})
	s.add("composite.Checksum.String", load, 2, oneAllowance+eachAllowance*float64(n), func() []impl {
		c := composite.Checksum{Parts: digests(n), Size: int64(n), PartSize: 1}
		return []impl{
			library(func(dst [][32]byte) { copy(bytesOf(dst), c.String()) }),
			stdLoop(func(dst [][32]byte) { copy(bytesOf(dst), compositeString(c.Parts)) }),
		}
	})
	s.nmtTrees(n)
}

// headers returns n random headers.
func headers(n int) [][80]byte {
	headers := make([][80]byte, n)
	for i, h := range messages(same(n, 80)...) {
		headers[i] = [80]byte(h)
	}
	return headers
}

// headerLoops are loops over headers.
func headerLoops(headers [][80]byte) []impl {
	return []impl{
		stdLoop(func(dst [][32]byte) {
			for i := range headers {
				d := stdsha256.Sum256(headers[i][:])
				dst[i] = stdsha256.Sum256(d[:])
			}
		}),
		ownLoop(func(dst [][32]byte) {
			for i := range headers {
				d := sha256.Sum256(headers[i][:])
				dst[i] = sha256.Sum256(d[:])
			}
		}),
	}
}

// proofs returns the root and the proof of each leaf of an RFC 6962 tree.
func (t loopTree) proofs(leaves [][32]byte) (root [32]byte, proofs [][][32]byte) {
	proofs = make([][][32]byte, len(leaves))
	level := slices.Clone(leaves)
	for height := 0; len(level) > 1; height++ {
		for i := range proofs {
			if sibling := i>>height ^ 1; sibling < len(level) {
				proofs[i] = append(proofs[i], level[sibling])
			}
		}
		level = t.climb(level, height)
	}
	return level[0], proofs
}

// consistency is SUBPROOF of RFC 6962, section 2.1.2. It overwrites the leaves.
func (t loopTree) consistency(proof, leaves [][32]byte, old int, whole bool) [][32]byte {
	if old == len(leaves) {
		if whole {
			return proof
		}
		return append(proof, t.root(leaves))
	}
	left := 1
	for 2*left < len(leaves) {
		left *= 2
	}
	if old <= left {
		return append(t.consistency(proof, leaves[:left], old, whole), t.root(leaves[left:]))
	}
	return append(t.consistency(proof, leaves[left:], old-left, false), t.root(leaves[:left]))
}

// proofs is the calls that verify the proof of a leaf, and of a tree with old leaves.
func (s *sweeper) proofs(n, index, old int) {
	hasher := transparency.DefaultHasher
	s.addOne("bitcoin.RootFromBranch", fmt.Sprintf("n=%d/index=%d", n, index), func() []impl {
		txids := digests(n)
		branch, err := bitcoin.Branch(txids, index)
		must(err)
		return append([]impl{library(func(dst [][32]byte) {
			root, err := bitcoin.RootFromBranch(n, index, txids[index], branch)
			must(err)
			dst[0] = root
		})}, byTree(bitcoinTree, func(t loopTree) func([][32]byte) {
			return func(dst [][32]byte) {
				node := txids[index]
				for level, sibling := range branch {
					left, right := &node, &sibling
					if index>>level%2 == 1 {
						left, right = right, left
					}
					node = t.node(left, right)
				}
				dst[0] = node
			}
		})...)
	})
	s.addOne("rfc6962.RootFromInclusionProof", fmt.Sprintf("n=%d/index=%d", n, index), func() []impl {
		leaf, _, siblings := proved(n, index)
		return []impl{
			library(func(dst [][32]byte) {
				root, err := rfc6962.RootFromInclusionProof(uint64(n), uint64(index), leaf, siblings)
				must(err)
				dst[0] = root
			}),
			stdLoop(func(dst [][32]byte) { dst[0] = rootFrom(n, index, leaf, siblings) }),
		}
	})
	s.addOne("rfc6962.VerifyInclusion", fmt.Sprintf("n=%d/index=%d", n, index), func() []impl {
		leaf, root, siblings := proved(n, index)
		return []impl{
			library(func(dst [][32]byte) {
				dst[0][0] = bit(rfc6962.VerifyInclusion(root, uint64(n), uint64(index), leaf, siblings) == nil)
			}),
			stdLoop(func(dst [][32]byte) { dst[0][0] = bit(rootFrom(n, index, leaf, siblings) == root) }),
		}
	})
	s.addOne("rfc6962.VerifyConsistency", fmt.Sprintf("n=%d/old=%d", n, old), func() []impl {
		leaves := digests(n)
		nodes, err := rfc6962.ConsistencyProof(leaves, old)
		must(err)
		var list [][]byte
		for i := range nodes {
			list = append(list, nodes[i][:])
		}
		before, root := rfc6962.RootOfHashes(leaves[:old]), rfc6962.RootOfHashes(leaves)
		return []impl{
			library(func(dst [][32]byte) {
				dst[0][0] = bit(rfc6962.VerifyConsistency(before, uint64(old), root, uint64(n), nodes) == nil)
			}),
			stdLoop(func(dst [][32]byte) {
				dst[0][0] = bit(proof.VerifyConsistency(hasher, uint64(old), uint64(n), list, before[:], root[:]) == nil)
			}),
		}
	})
}

// proved returns a leaf of a tree, the root and the proof of the leaf.
func proved(n, index int) (leaf, root [32]byte, siblings [][32]byte) {
	leaves := digests(n)
	root, proofs := rfc6962.RootAndProofs(leaves)
	return leaves[index], root, proofs[index]
}

// rootFrom goes up as RFC 9162, section 2.1.3.2, does.
func rootFrom(n, index int, node [32]byte, siblings [][32]byte) [32]byte {
	var buf [65]byte
	buf[0] = 1
	last := n - 1
	for _, sibling := range siblings {
		left, right := &node, &sibling
		if index%2 == 1 || index == last {
			left, right = &sibling, &node
			for index%2 == 0 && index > 0 {
				index, last = index/2, last/2
			}
		}
		copy(buf[1:], left[:])
		copy(buf[33:], right[:])
		node = stdsha256.Sum256(buf[:])
		index, last = index/2, last/2
	}
	return node
}

// nmtNamespaces returns namespaces that rise by threes.
func nmtNamespaces(n int) []nmt.Namespace {
	namespaces := make([]nmt.Namespace, n)
	for i := range namespaces {
		binary.BigEndian.PutUint32(namespaces[i][nmt.NamespaceSize-4:], uint32(i/3))
	}
	return namespaces
}

func (s *sweeper) nmtLeaves(l list) {
	s.addList("nmt.LeafHashes", "", l, func(msgs [][]byte) []impl {
		namespaces, nodes := nmtNamespaces(len(msgs)), make([]nmt.Node, len(msgs))
		take := func(dst [][32]byte) {
			for i := range nodes {
				dst[i] = nodes[i].Digest
			}
		}
		each := func(sum func([]byte) [32]byte) func(dst [][32]byte) {
			buf := make([]byte, 0, 1+nmt.NamespaceSize+slices.Max(l.sizes))
			return func(dst [][32]byte) {
				for i, m := range msgs {
					buf = append(append(append(buf[:0], 0), namespaces[i][:]...), m...)
					nodes[i] = nmt.Node{Min: namespaces[i], Max: namespaces[i], Digest: sum(buf)}
				}
				take(dst)
			}
		}
		return []impl{
			library(func(dst [][32]byte) { must(nmt.LeafHashes(nodes, namespaces, msgs)); take(dst) }),
			stdLoop(each(stdsha256.Sum256)), ownLoop(each(sha256.Sum256)),
		}
	})
}

// nmtTrees is namespaced trees with n leaves: one, and a few side by side.
func (s *sweeper) nmtTrees(n int) {
	trees := s.between(2, 9)
	// loop returns the roots of trees, in a copy of the leaves.
	loop := func(leaves []nmt.Node, size int) func(sum func([]byte) [32]byte) func(dst [][32]byte) {
		return func(sum func([]byte) [32]byte) func(dst [][32]byte) {
			buf, level := make([]byte, 1+2*90), make([]nmt.Node, size)
			buf[0] = 1
			return func(dst [][32]byte) {
				for i := range dst {
					copy(level, leaves[i*size:])
					for l := level; ; {
						if len(l) == 1 {
							dst[i] = l[0].Digest
							break
						}
						for j := range len(l) / 2 {
							l[j] = nmtNode(buf, &l[2*j], &l[2*j+1], sum)
						}
						if len(l)%2 == 1 {
							l[len(l)/2] = l[len(l)-1]
						}
						l = l[:(len(l)+1)/2]
					}
				}
			}
		}
	}
	leaves := func(n int) []nmt.Node {
		nodes := make([]nmt.Node, n)
		must(nmt.LeafHashes(nodes, nmtNamespaces(n), messages(same(n, 8)...)))
		return nodes
	}
	s.add("nmt.Root", fmt.Sprintf("n=%d", n), 1, oneAllowance+eachAllowance*float64(n), func() []impl {
		nodes := leaves(n)
		one := loop(nodes, n)
		return []impl{
			library(func(dst [][32]byte) {
				root, err := nmt.Root(nodes, nmt.Options{})
				must(err)
				dst[0] = root.Digest
			}),
			stdLoop(one(stdsha256.Sum256)), ownLoop(one(sha256.Sum256)),
		}
	})
	s.add("nmt.Roots", fmt.Sprintf("trees=%d/n=%d", trees, n), trees, oneAllowance+eachAllowance*float64(n*trees), func() []impl {
		nodes, roots := leaves(n*trees), make([]nmt.Node, trees)
		one := loop(nodes, n)
		return []impl{
			library(func(dst [][32]byte) {
				must(nmt.Roots(roots, nodes, n, nmt.Options{}))
				for i := range roots {
					dst[i] = roots[i].Digest
				}
			}),
			stdLoop(one(stdsha256.Sum256)), ownLoop(one(sha256.Sum256)),
		}
	})
}

// nmtNode hashes the node above two. Namespaces rise.
func nmtNode(buf []byte, left, right *nmt.Node, sum func([]byte) [32]byte) nmt.Node {
	at := 1
	for _, n := range []*nmt.Node{left, right} {
		at += copy(buf[at:], n.Min[:])
		at += copy(buf[at:], n.Max[:])
		at += copy(buf[at:], n.Digest[:])
	}
	return nmt.Node{Min: left.Min, Max: right.Max, Digest: sum(buf)}
}
