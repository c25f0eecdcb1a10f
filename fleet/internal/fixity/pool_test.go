package fixity

import (
	"crypto/sha256"
	"testing"
)

// A job that was awaited once, and is queued again, is not awaited again.
func TestJobsAreAwaitedOnce(t *testing.T) {
	p := newPool(1)
	p.begin()
	defer p.end()
	j := &job{hash: sha256.New(), hashed: func(*job) {}}
	for i, await := range []bool{true, false, true, false, false} {
		p.add(j)
		if await {
			p.await(j)
		} else {
			p.hurry()
		}
		if jobs := p.gather(nil); len(jobs) != 1 || p.waiting != 0 || j.awaited || j.queued {
			t.Fatalf("round %d: %d jobs, %d waiting, awaited: %v", i, len(jobs), p.waiting, j.awaited)
		}
	}
	if j.queued {
		t.Error("still queued")
	}
	p.await(j) // too late: nothing to wait for
	if p.waiting != 0 {
		t.Errorf("%d waiting for what is hashed", p.waiting)
	}
}
