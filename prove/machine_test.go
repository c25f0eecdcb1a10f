package main

import "testing"

// TestNodesInPlace reads nodes after a digest was written. The node of that digest, and all
// nodes in front of it, must have been read.
func TestNodesInPlace(t *testing.T) {
	const lanes = 4
	for _, tt := range []struct {
		name         string
		digest, node int64 // bytes behind those of the group at hand
		refused      bool
	}{
		{"the node that the digest is in", 0, 0, true},
		{"the end of a node in front", 96, 64 + 60, true},
		{"the end of the node of the digest", 96, 192 + 60, true},
		{"the next node", 32, 128, false},
		{"the next group", 96, 256, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			forget()
			m := &machine{mem: map[string]*region{}}
			src := m.message("src", of(symA, 64*lanes), of(symA, 64*lanes).plus(number(2*64*lanes)))
			dst := m.region("dst", of(symA, 32*lanes), of(symA, 32*lanes).plus(number(2*32*lanes)), false, true)
			for i := range int64(8) {
				m.store32(address(dst, of(symA, 32*lanes).plus(number(tt.digest+4*i))), constant(0))
			}
			why, is := refused(func() { m.load32(address(src, of(symA, 64*lanes).plus(number(tt.node)))) })
			if is != tt.refused {
				t.Errorf("refused: %v (%q), want %v", is, why, tt.refused)
			}
		})
	}
}
