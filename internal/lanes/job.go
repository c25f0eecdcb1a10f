package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// A Job is blocks to compress into a state. Jobs in an array are an odd number of
// cache lines apart, so that no two scratches share a set of the first-level
// cache or the low 12 bits of their addresses.
type Job struct {
	Scratch [5 * block.Size]byte // free to use: for blocks that are put together
	H       block.State          // free to use

	State *block.State // updated in place
	// Pieces are whole blocks, compressed one piece after the other. Empty pieces
	// are passed over.
	Pieces [pieces][]byte

	Owner any // of a job in a Batch: free to use
}

const pieces = 3

// Set has j compress a, then b, then c into h. Forget undoes it.
func (j *Job) Set(h *block.State, a, b, c []byte) {
	j.State = h
	j.Pieces[0], j.Pieces[1], j.Pieces[2] = a, b, c
}

// Forget lets go of what is the caller's.
func (j *Job) Forget() { j.Set(nil, nil, nil, nil) }

// maxJobs is how many jobs can be live: more than run at a time, so that those
// that are left at the end can take turns.
const maxJobs = 2 * block.MaxLanes

// lanes are where jobs run, those that are live first.
type lanes struct {
	plan *plan

	// state and next are the arguments of the kernels. The states of lanes that
	// are not live are unused, and their blocks those of lane 0.
	state [maxJobs]*block.State
	next  [maxJobs]*byte

	job    [maxJobs]*Job
	number [maxJobs]int   // of the job among the caller's, in a Group
	left   [maxJobs]int   // blocks left of the piece at hand
	piece  [maxJobs]uint8 // which piece comes then
	unused block.State
}

// Width returns how many jobs run side by side while there are enough of them.
func (l *lanes) Width() int { return l.plan.width }

// begin has lane i compress the pieces of its job, and reports whether there is
// a block in any.
func (l *lanes) begin(i int) bool {
	l.state[i] = l.job[i].State
	l.piece[i] = 0
	return l.turn(i)
}

// turn takes lane i to the next piece of its job that is not empty, and reports
// whether there is one.
func (l *lanes) turn(i int) bool {
	for j := l.job[i]; int(l.piece[i]) < pieces; {
		p := j.Pieces[l.piece[i]]
		l.piece[i]++
		if len(p) > 0 {
			l.load(i, p)
			return true
		}
	}
	return false
}

// load points lane i at blocks.
func (l *lanes) load(i int, blocks []byte) {
	l.left[i] = len(blocks) / block.Size
	l.next[i] = unsafe.SliceData(blocks)
}

// goesOn takes note that lane i has compressed n blocks, and reports whether the
// piece at hand has more. If not, the lane has to turn to the next one: in one
// function with this, that would cost a call for every lane.
func (l *lanes) goesOn(i, n int) bool {
	if l.left[i] == n {
		return false
	}
	l.advance(i, n)
	return true
}

// advance moves lane i on by n blocks of several that it has left.
func (l *lanes) advance(i, n int) {
	l.left[i] -= n
	l.next[i] = block.Advance(l.next[i], n)
}

// move fills lane i from lane last, which is then unused.
func (l *lanes) move(i, last int) {
	if i != last {
		l.swap(i, last)
	}
	l.state[last] = &l.unused
	l.next[last] = nil
}

// swap exchanges two lanes.
func (l *lanes) swap(i, j int) {
	l.state[i], l.state[j] = l.state[j], l.state[i]
	l.next[i], l.next[j] = l.next[j], l.next[i]
	l.job[i], l.job[j] = l.job[j], l.job[i]
	l.number[i], l.number[j] = l.number[j], l.number[i]
	l.left[i], l.left[j] = l.left[j], l.left[i]
	l.piece[i], l.piece[j] = l.piece[j], l.piece[i]
}

// shortest returns the smallest number of blocks that one of the first n lanes
// has left of the piece at hand.
func (l *lanes) shortest(n int) int {
	// By halves, so that one comparison need not wait for the other.
	least, half := l.left[0], n/2
	first, second := l.left[:half], l.left[n-half:n]
	other := l.left[half]
	for i := range first {
		least, other = min(least, first[i]), min(other, second[i])
	}
	return min(least, other)
}

// total returns how many blocks lane i has left, of all pieces.
func (l *lanes) total(i int) int {
	n := l.left[i]
	for _, p := range l.job[i].Pieces[l.piece[i]:] {
		n += len(p) / block.Size
	}
	return n
}

// retire ends the use of the lanes from n on, if they are in use.
func (l *lanes) retire(n int) {
	for i := n; i < len(l.state) && l.state[i] != &l.unused; i++ {
		l.state[i] = &l.unused
	}
}

// compress advances the first n lanes by so many blocks, or by as many as the
// kernels of the plan take in one call, and returns how many. It does not move
// next. If more lanes are live the plan for n fills its kernels.
func (l *lanes) compress(n, blocks int) int {
	return l.plan.compress(l.state[:], l.next[:], n, 0, blocks)
}

// compress advances the first n states by so many blocks, from block at of next
// on, or by as many as the kernels take in one call, and returns how many. The
// states of lanes that the kernels have beyond n are written to.
func (p *plan) compress(state []*block.State, next []*byte, n, at, blocks int) int {
	for i := 0; i < n; {
		k := p.kernels[n-i]
		blocks = min(blocks, k.MaxBlocks)
		i += k.Lanes
	}
	if race.Enabled {
		for _, b := range next[:n] {
			race.Read(unsafe.Slice(block.Advance(b, at), blocks*block.Size))
		}
	}
	for i := 0; i < n; {
		k := p.kernels[n-i]
		for j := n; j < i+k.Lanes; j++ {
			next[j] = next[0]
		}
		k.Blocks(&state[0], &next[0], n, i, at, blocks, 1)
		i += k.Lanes
	}
	return blocks
}

// compressAll advances the first n states by so many blocks, from block at of next
// on.
func (p *plan) compressAll(state []*block.State, next []*byte, n, at, blocks int) {
	for end := at + blocks; at < end; {
		at += p.compress(state, next, n, at, end-at)
	}
}
