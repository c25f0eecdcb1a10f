package lanes

import (
	"encoding/binary"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// CompressPairs sets dst[i] to the result of the rounds of FIPS 180-4 for the state h
// and the block src[2i] || src[2i+1], without the final addition of h. dst does not
// overlap src.
func CompressPairs(dst [][block.DigestSize]byte, h block.State, src [][block.DigestSize]byte) {
	if len(dst) == 0 {
		return
	}
	g := acquire()
	for occupied := 0; len(dst) > 0; {
		live := g.wave(len(dst), 1, 1)
		occupied = g.occupy(occupied, live)
		for i := range live {
			g.jobs[i].H = h
			g.next[i] = &src[2*i][0]
		}
		g.compressAll(live, 0, 1)
		for i := range live {
			PutDifference(&dst[i], &g.jobs[i].H, &h)
		}
		dst, src = dst[live:], src[2*live:]
	}
	g.retire(0)
	g.release()
}

// PutDifference writes after less before, word by word, to dst in the byte order
// of digests.
func PutDifference(dst *[block.DigestSize]byte, after, before *block.State) {
	binary.BigEndian.PutUint64(dst[0:], uint64(after[0]-before[0])<<32|uint64(after[1]-before[1]))
	binary.BigEndian.PutUint64(dst[8:], uint64(after[2]-before[2])<<32|uint64(after[3]-before[3]))
	binary.BigEndian.PutUint64(dst[16:], uint64(after[4]-before[4])<<32|uint64(after[5]-before[5]))
	binary.BigEndian.PutUint64(dst[24:], uint64(after[6]-before[6])<<32|uint64(after[7]-before[7]))
}
