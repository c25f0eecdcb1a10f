package lanes

// A Tally counts the blocks of a list of jobs, of which some may have none.
type Tally struct {
	// Each is what a job costs more side by side than alone, in cycles, beside its blocks.
	Each int

	jobs, blocks, shortest, longest int
}

// Add counts a job.
func (t *Tally) Add(blocks int) {
	if blocks == 0 {
		return
	}
	if t.jobs == 0 {
		t.shortest = blocks
	}
	t.jobs++
	t.blocks += blocks
	t.shortest, t.longest = min(t.shortest, blocks), max(t.longest, blocks)
}

// AreFew reports whether the jobs take less time one after the other than side by side.
// It makes no plan for jobs of which at most one has blocks.
func (t *Tally) AreFew() bool {
	return t.jobs <= 1 || streamPlans.current().OneByOne(t.jobs, t.blocks, t.shortest, t.longest, t.Each)
}
