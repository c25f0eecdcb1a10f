package main

import "testing"

// TestNodesInPlace reads nodes after a digest, or a part of it, was written. The node of
// that digest, and all nodes in front of it, must have been read.
func TestNodesInPlace(t *testing.T) {
	const lanes = 4
	for _, tt := range []struct {
		name         string
		digest, size int64 // what is written, in bytes behind the digests of the groups before
		node         int64 // what is read, in bytes behind the nodes of the groups before
		refused      bool
	}{
		{"the node that the digest is in", 0, 32, 0, true},
		{"the end of a node in front", 96, 32, 64 + 60, true},
		{"the end of the node of the digest", 96, 32, 192 + 60, true},
		{"the next node", 32, 32, 128, false},
		{"the next group", 96, 32, 256, false},
		{"the second half of the node, after half the digest", 0, 16, 32, true},
		{"the end of the node, after a word of the digest", 32, 4, 64 + 60, true},
		{"the end of the node, after the digest's last word", 60, 4, 64 + 60, true},
		{"the next node, after half a digest", 32, 16, 128, false},
		{"the group after next, after half a digest", 96, 16, 512 - 4, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			forget()
			m := &machine{mem: map[string]*region{}}
			src := m.message("src", of(symA, 64*lanes), of(symA, 64*lanes).plus(number(2*64*lanes)))
			dst := m.region("dst", of(symA, 32*lanes), of(symA, 32*lanes).plus(number(2*32*lanes)), false, true)
			for i := range tt.size / 4 {
				m.store32(address(dst, of(symA, 32*lanes).plus(number(tt.digest+4*i))), constant(0))
			}
			why, is := refused(func() { m.load32(address(src, of(symA, 64*lanes).plus(number(tt.node)))) })
			if is != tt.refused {
				t.Errorf("refused: %v (%q), want %v", is, why, tt.refused)
			}
		})
	}
}
