package plan

// A Nesting says whether and how a digest is hashed again, behind an outer prefix, as HMAC does.
type Nesting uint8

const (
	NotNested  Nesting = iota
	Nested             // all digests behind one outer prefix
	NestedEach         // each digest behind an outer prefix of its own
)

// nestings has the costs of nesting by its kind.
type nestings [NestedEach + 1]nestingCost

// A nestingCost has the cycles that nesting costs side by side, less those that it costs
// alone, for each message and for a list. The block behind the outer prefix is not included.
// `each` is negative where nesting costs more alone: two paddings follow each other, and
// nothing hides their latency.
type nestingCost struct{ each, list int }

// zen3Nestings were found on Zen 3: with them, plans choose what was faster for 2 to 12
// messages of one length. They hardly matter to longer lists.
var zen3Nestings = nestings{Nested: {list: 100}, NestedEach: {each: 22, list: 100}}

// Blocks returns the number of blocks behind the outer prefix.
func (k Nesting) Blocks() int {
	if k == NotNested {
		return 0
	}
	return 1
}

// AlwaysNestedOneByOne reports whether n nested messages take less time one by one than side
// by side, however their blocks are distributed. They have `blocks` blocks in all, without
// those behind outer prefixes. It takes less time than OneByOne, which divides.
func (p *Streams) AlwaysNestedOneByOne(k Nesting, n, blocks int) bool {
	c, l := &p.nestings[k], min(n, p.Width)
	least := listCycles + c.list + n*(listLaneCycles+c.each) + 2*p.overhead.callOf(l) // any list has two calls
	return int64(blocks+n*k.Blocks())*int64(p.gains[l]) < int64(least)
}

// NestingCycles returns what nesting costs for each of n messages, as OneByOne takes it.
func (p *Streams) NestingCycles(k Nesting, n int) int {
	if k == NotNested { // saves a division
		return 0
	}
	c := &p.nestings[k]
	return c.each + c.list/n
}
