package pow

import (
	"encoding/binary"
	"math"
	"math/bits"
	"sync"

	"github.com/sha256-simd/sha256-simd/internal/block"
	"github.com/sha256-simd/sha256-simd/internal/lanes"
)

const (
	// minNonces is the smallest number of nonces for which a kernel is used. For
	// fewer nonces, making it ready takes longer than it saves.
	minNonces = 8
	// maxIdle is the largest number of lanes, for each nonce, with which a kernel takes
	// less time than nonces that are tried as messages.
	maxIdle = 3
	// maxMessages is the largest number of nonces that are tried as messages,
	// without a search kernel, between two checks of the context.
	maxMessages = 256
)

// A finder tries nonces.
type finder struct {
	message
	work   uint64
	search *search // nil: nonces are tried as messages
}

// A search divides a range into what one call of a search kernel can do: nonces that
// differ in their last digits only.
type search struct {
	kernel *block.SearchKernel
	// nonces is valid for the nonces that differ from current in their last
	// digits only.
	nonces  block.Nonces
	valid   bool
	current uint64
}

// try tries some nonces from n on, at least one and at most count. If a nonce
// satisfies the limit, n+tried is the first one. Otherwise tried is the number of nonces
// that were tried.
func (f *finder) try(n, count uint64) (tried uint64, found bool) {
	s := f.search
	if s == nil || count < minNonces {
		return f.tryMessages(n, count)
	}
	f.describe(n)
	digits := s.nonces.Digits()
	width := uint64(s.kernel.Lanes)
	base := n &^ (width - 1) // of a group
	count = min(count,
		1<<(4*digits)-n&(1<<(4*digits)-1),
		base+uint64(s.kernel.Max)*width-n)
	groups := int((n - base + count + width - 1) / width)
	if count < minNonces || uint64(groups)*width > maxIdle*count {
		return f.tryMessages(n, count)
	}
	for groups > 0 {
		hits, left := s.kernel.Search(&s.nonces, uint32(base), groups)
		if hits == 0 {
			break
		}
		base += uint64(groups-left) * width
		for ; hits != 0; hits &= hits - 1 {
			// A hit can lie outside of the range, and it can be too large by the
			// last 16 of its 48 bits.
			i := base + uint64(bits.TrailingZeros32(hits)) - n
			if i < count && f.value(n+i) <= f.work {
				return i, true
			}
		}
		base += width
		groups = left - 1
	}
	return count, false
}

// tryMessages is try without a search kernel: it tries one nonce at a time, or,
// with kernels for many messages, one in each lane.
func (f *finder) tryMessages(n, count uint64) (tried uint64, found bool) {
	count = min(count, maxMessages)
	if !lanes.RowsOneByOne(int(count), nonceSize, f.at) {
		return f.trySideBySide(n, count)
	}
	for i := range count {
		if f.value(n+i) <= f.work {
			return i, true
		}
	}
	return count, false
}

func (f *finder) trySideBySide(n, count uint64) (tried uint64, found bool) {
	side := sides.Get().(*sideBySide)
	defer sides.Put(side)
	rest := copy(side.rest[:], f.tail[:f.at])
	prefix := lanes.Prefix{H: f.h, Rest: side.rest[:rest], Len: f.prefixLen}
	for tried < count {
		live := min(count-tried, block.MaxLanes)
		for i := range live {
			putNonce(&side.nonces[i], n+tried+i)
		}
		lanes.SumManyAfter(side.sums[:live], &prefix, side.messages[:live])
		for i, sum := range side.sums[:live] {
			if binary.BigEndian.Uint64(sum[:])>>16 <= f.work {
				return tried + uint64(i), true
			}
		}
		tried += live
	}
	return count, false
}

// sideBySide is the memory for messages that are hashed side by side: nonces, as slices
// too, and their digests.
type sideBySide struct {
	rest     [block.Size]byte // of the prefix
	nonces   [block.MaxLanes][nonceSize]byte
	messages [block.MaxLanes][]byte
	sums     [block.MaxLanes][block.DigestSize]byte
}

var sides = sync.Pool{New: func() any {
	s := new(sideBySide)
	for i := range s.messages {
		s.messages[i] = s.nonces[i][:]
	}
	return s
}}

// describe makes s.nonces valid for n.
func (f *finder) describe(n uint64) {
	s := f.search
	if s.valid && (n^s.current)>>(4*s.nonces.Digits()) == 0 {
		return
	}
	s.valid, s.current = true, n
	f.set(n)
	limit := uint32(min(f.work>>16, math.MaxUint32))
	first, second := (*[block.Size]byte)(f.tail[:]), (*[block.Size]byte)(f.tail[block.Size:])
	switch last := f.at + nonceSize - 1; {
	case last >= block.Size:
		h := f.h
		block.Compress(&h, first[:])
		s.nonces.Reset(&h, second, last-block.Size, nil, limit)
	case f.size > block.Size:
		s.nonces.Reset(&f.h, first, last, second, limit)
	default:
		s.nonces.Reset(&f.h, first, last, nil, limit)
	}
}
