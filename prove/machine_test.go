package main

import (
	"fmt"
	"testing"
)

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

// TestCallersFrame writes where the frame ends, to the stack and to an aligned part of it.
// On arm64 the caller's frame pointer is below the return address.
func TestCallersFrame(t *testing.T) {
	for _, arm := range []bool{false, true} {
		end, pointer := int64(returnAt), sp
		if arm {
			end, pointer = returnAt-8, armSP
		}
		for _, aligned := range []bool{false, true} {
			for _, beyond := range []int64{0, 4, 8} {
				t.Run(fmt.Sprintf("arm64 %v/aligned %v/%d bytes beyond", arm, aligned, beyond), func(t *testing.T) {
					forget()
					m := (&code{arm: arm}).entry(nil)
					st := m.mem["stack"]
					m.gp[pointer] = address(st, number(returnAt-96))
					m.stackMoved()
					at := address(st, number(end-4+beyond))
					if aligned {
						part := m.alignedDown(address(st, number(returnAt-32)), 32)
						at = part.moved(end - 4 + beyond - part.region.from)
					}
					why, is := refused(func() { m.store32(at, constant(0)) })
					if is != (beyond > 0) {
						t.Errorf("refused: %v (%q)", is, why)
					}
				})
			}
		}
	}
}
