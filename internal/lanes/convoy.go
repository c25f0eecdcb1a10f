package lanes

import (
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
)

// A Convoy is live lanes that others join while they are under way. It belongs
// to one goroutine at a time, which may pass it on.
type Convoy struct {
	slots
	live int
	done [block.MaxLanes]*Lane
}

var convoys = sync.Pool{New: func() any {
	c := new(Convoy)
	c.Retire(0)
	return c
}}

// NewConvoy returns a convoy without lanes.
func NewConvoy() *Convoy {
	c := convoys.Get().(*Convoy)
	c.plan = currentPlan()
	return c
}

// Release gives up c, which has no lanes.
func (c *Convoy) Release() {
	clear(c.Next[:])
	clear(c.lane[:])
	clear(c.done[:])
	convoys.Put(c)
}

// Lanes returns the lanes of c. The result is valid until the next call.
func (c *Convoy) Lanes() []*Lane { return c.lane[:c.live] }

// Room returns how many lanes may join.
func (c *Convoy) Room() int { return c.Width() - c.live }

// Join adds l, which has blocks in First, Rest or both.
func (c *Convoy) Join(l *Lane) {
	c.lane[c.live] = l
	c.begin(c.live, l)
	c.live++
}

// Step compresses the same number of blocks of every lane, at most limit. It
// returns the lanes that have no blocks left; they have left c. The result is
// valid until the next call.
func (c *Convoy) Step(limit int) []*Lane {
	n := c.compress(c.live, min(limit, c.shortest(c.live)))
	done := c.done[:0]
	for slot := c.live - 1; slot >= 0; slot-- {
		if c.settle(slot, n) {
			done = append(done, c.lane[slot])
			c.live--
			c.move(slot, c.live)
		}
	}
	clear(c.Next[c.live:]) // c may go on for long, and what has left it not be kept
	return done
}

// Longest returns the lane that has most blocks left.
func (c *Convoy) Longest() *Lane {
	longest, most := 0, 0
	for slot, l := range c.Lanes() {
		if n := c.left[slot] + len(l.Rest)/block.Size; n > most {
			longest, most = slot, n
		}
	}
	return c.lane[longest]
}
