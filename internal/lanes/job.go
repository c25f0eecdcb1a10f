package lanes

import (
	"unsafe"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/plan"
	"github.com/sha256-simd/sha256-simd/internal/race"
)

// A Job is blocks to compress into a state. On 64-bit ports, the distance between jobs in
// an array is an odd number of cache lines. So no two scratches begin in the same set of
// the first-level cache, or at 4 KiB aliases.
type Job struct {
	block.Slot // free to use, for blocks that are assembled and for a state

	State *block.State // updated in place
	// Segments are whole blocks, compressed one segment after the other. Empty segments
	// are skipped.
	Segments [segments][]byte

	Owner any // free to use for the owner of a job in a Batch
}

const segments = 3

// Set sets j to compress a, then b, then c into h. Forget undoes it.
func (j *Job) Set(h *block.State, a, b, c []byte) {
	j.State = h
	j.Segments[0], j.Segments[1], j.Segments[2] = a, b, c
}

// Forget drops the caller's pointers.
func (j *Job) Forget() { j.Set(nil, nil, nil, nil) }

// maxJobs is the largest number of live jobs. It exceeds the number of lanes, so that
// the last jobs can rotate.
const maxJobs = plan.MaxJobs

// lanes are places for jobs. Those with a job, the live ones, come first. At the end of a
// list, more places than Width may be live: they take turns in the lanes of the kernels.
type lanes struct {
	plan *streamPlan

	// `state` and `next` are the arguments of the kernels. A lane that is not live has the
	// state `unused`. Before a kernel runs such a lane, compress points `next` at the blocks
	// of lane 0.
	state [maxJobs]*block.State
	next  [maxJobs]*byte

	job     [maxJobs]*Job
	number  [maxJobs]int   // in a group: the job's number in the caller's list
	left    [maxJobs]int   // blocks left of the segment at hand
	segment [maxJobs]uint8 // the index of the next segment
	unused  block.State
}

// Width returns the number of jobs that run side by side while there are enough.
func (l *lanes) Width() int { return l.plan.Width }

// begin sets lane i to the first nonempty segment of its job. It reports whether there is
// one.
func (l *lanes) begin(i int) bool {
	l.state[i] = l.job[i].State
	l.segment[i] = 0
	return l.nextSegment(i)
}

// nextSegment moves lane i on to the next nonempty segment of its job. It reports whether
// there is one.
func (l *lanes) nextSegment(i int) bool {
	for j := l.job[i]; int(l.segment[i]) < segments; {
		p := j.Segments[l.segment[i]]
		l.segment[i]++
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

// goesOn reports whether lane i, which has compressed n blocks, has more blocks in its
// current segment. If so, goesOn advances the lane. If not, the caller calls nextSegment:
// one function for both would cost a call for every lane.
func (l *lanes) goesOn(i, n int) bool {
	if l.left[i] == n {
		return false
	}
	l.advance(i, n)
	return true
}

// advance moves lane i on by n blocks. The lane has more than n left.
func (l *lanes) advance(i, n int) {
	l.left[i] -= n
	l.next[i] = block.Advance(l.next[i], n)
}

// move moves lane `last` to lane i. Lane `last` is then unused, and its `next` is nil.
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
	l.segment[i], l.segment[j] = l.segment[j], l.segment[i]
}

// shortest returns the smallest number of blocks that any of the first n lanes has left in
// its current segment.
func (l *lanes) shortest(n int) int {
	// Two minima, so that comparisons do not wait for each other.
	least, half := l.left[0], n/2
	first, second := l.left[:half], l.left[n-half:n]
	other := l.left[half]
	for i := range first {
		least, other = min(least, first[i]), min(other, second[i])
	}
	return min(least, other)
}

// total returns the number of blocks that lane i has left in all segments.
func (l *lanes) total(i int) int {
	n := l.left[i]
	for _, p := range l.job[i].Segments[l.segment[i]:] {
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

// compress advances the first n lanes by `blocks` blocks, or by as many as one call can
// take. It returns the number of blocks. It does not advance `next`. If more than n lanes
// are live, the kernels that the plan has for n lanes must have no free lane.
func (l *lanes) compress(n, blocks int) int {
	return l.plan.compress(l.state[:], l.next[:], n, 0, blocks)
}

// compress advances the first n states by `blocks` blocks, or by as many as one call can
// take. It starts at block `at` of `next`, and returns the number of blocks. If the kernels
// have more than n lanes, compress also writes to the states after the first n, and points
// their elements of `next` at the blocks of lane 0.
func (p *streamPlan) compress(state []*block.State, next []*byte, n, at, blocks int) int {
	for i := 0; i < n; {
		k := p.kernels[n-i]
		blocks = min(blocks, k.Max)
		i += k.Lanes
	}
	readBlocks(next[:n], at, blocks)
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

// compressAll advances the first n states by `blocks` blocks, from block `at` of `next` on.
// There may be more states than Width. The plan's kernel for even lists runs while they fill its
// lanes. For those left, the kernel for Width lanes does several turns in one call, with all lanes
// full, if a call has room for two. A turn costs less than a call.
func (p *streamPlan) compressAll(state []*block.State, next []*byte, n, at, blocks int) {
	first := 0
	for k := p.even; k != nil && n-first >= k.Lanes; first += k.Lanes {
		for done := 0; done < blocks; {
			more := min(blocks-done, k.Max)
			readBlocks(next[first:first+k.Lanes], at+done, more)
			k.Blocks(&state[first], &next[first], k.Lanes, 0, at+done, more, 1)
			done += more
		}
	}
	if n-first > p.Width {
		k := p.kernels[p.Width]
		for 2*blocks <= k.Max && n-first >= 2*k.Lanes {
			turns, last := 2, first+2*k.Lanes
			for last+k.Lanes <= n && (turns+1)*blocks <= k.Max { // divisions would take longer
				turns, last = turns+1, last+k.Lanes
			}
			readBlocks(next[first:last], at, blocks)
			k.Blocks(&state[first], &next[first], last-first, 0, at, blocks, turns)
			first = last
		}
	}
	for ; first < n; first += p.Width {
		for done := 0; done < blocks; {
			done += p.compress(state[first:], next[first:], min(p.Width, n-first), at+done, blocks-done)
		}
	}
}

// readBlocks reports to the race detector that a kernel reads the blocks.
func readBlocks(next []*byte, at, blocks int) {
	if race.Enabled {
		for _, b := range next {
			race.Read(unsafe.Slice(block.Advance(b, at), blocks*block.Size))
		}
	}
}
