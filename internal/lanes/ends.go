package lanes

import "github.com/sha256-simd/sha256-simd/internal/block"

// Ends is a list of messages whose whole blocks are compressed.
type Ends interface {
	// End puts the end of message i into j, and returns what SetEnd or ReadEnd returned.
	End(i int, j *Job) (at, blocks int)
}

// SetEnd puts the end of a message into j. h is the state after the whole blocks, rest the
// remaining bytes, less than a block, and length that of the whole message in bytes. SetEnd
// returns where in the scratch the end begins, and how many blocks it has.
func (j *Job) SetEnd(h *block.State, rest []byte, length uint64) (at, blocks int) {
	j.H = *h
	return 0, block.Pad((*[block.MaxTail]byte)(j.Scratch[:]), rest, length) / block.Size
}

// ReadEnd is SetEnd for the message of h, a hash of crypto/sha256. The marshalled state of h
// goes into the scratch; the partial block is then in place. Of that form, ReadEnd leaves
// only the end and the length. If the state cannot be read, ReadEnd returns 0 blocks.
func (j *Job) ReadEnd(h block.StdHash) (at, blocks int) {
	form := (*block.Marshaled)(j.Scratch[:])
	if !form.Read(h) {
		return 0, 0
	}
	_, length := form.Decode(&j.H)
	at = block.PartialAt
	*(*[block.PartialAt]byte)(j.Scratch[:]) = [block.PartialAt]byte{}
	return at, block.PadInPlace((*[block.MaxTail]byte)(j.Scratch[at:]), length) / block.Size
}

// nearEnds is the largest number of ends that are assumed to be in cache.
const nearEnds = 1024

// SumEnds sets dst[i] to the digest of message i of e, for every i. If End returned 0 blocks
// for a message, its digest is undefined.
func SumEnds(dst [][block.DigestSize]byte, e Ends) {
	g := acquire()
	fetcher, _ := e.(Fetcher)
	if len(dst) <= nearEnds {
		fetcher = nil
	}
	for base := 0; base < len(dst); base += maxShortWave {
		n := min(maxShortWave, len(dst)-base)
		if fetcher != nil {
			for i := base + n; i < min(base+n+maxShortWave, len(dst)); i++ {
				fetcher.Fetch(i)
			}
		}
		g.sumEnds(dst[base:base+n], base, e)
	}
	g.retire(0)
	g.release()
}

// sumEnds is SumEnds for messages base to base+len(dst)-1, at most maxShortWave of them.
func (g *group) sumEnds(dst [][block.DigestSize]byte, base int, e Ends) {
	// Messages whose padding takes two blocks have the first lanes, so that these lanes
	// can go on alone.
	two, one := 0, len(dst)
	for i := range dst {
		j := &g.jobs[i]
		at, blocks := e.End(base+i, j)
		lane := two
		if blocks == 2 {
			two++
		} else {
			one--
			lane = one
		}
		g.state[lane], g.next[lane] = &j.H, &j.Scratch[at]
	}
	g.retire(len(dst))
	g.compressAll(len(dst), 0, 1)
	g.retire(two)
	g.compressAll(two, 1, 1)
	for i := range dst {
		block.PutDigest(&dst[i], &g.jobs[i].H)
	}
}
