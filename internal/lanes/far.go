package lanes

import "unsafe"

// Whether a list is in cache or far from the core is not known. To fetch a message
// takes 2 ns. Long messages lose at most 3% by that if they are in cache, and gain up to
// 40% if they are not. Short messages lose more. So a list of short messages counts as far
// only if it has more than nearShort bytes. Trees hash long lists in windows of 1,024
// leaves: a window counts as far if its leaves have more than 128 bytes each.
const (
	// longBytes is the smallest size of long messages, on average over a list.
	longBytes = 256
	// nearLong and nearShort are the sizes of the largest lists that are not fetched.
	nearLong, nearShort = 4 << 10, 128 << 10
)

// isFar reports whether the messages of a list, all together of size bytes, are fetched
// before they are hashed.
func isFar(messages, size int) bool {
	if size/longBytes >= messages {
		return size > nearLong
	}
	return size > nearShort
}

const (
	// If messages have at most soonBlocks blocks, the next messages are fetched before
	// these are compressed. Longer messages would displace the next ones from the cache:
	// there the next ones are fetched afterwards.
	soonBlocks = 64
	// closeBytes is the largest distance between the beginnings of short messages that
	// the processor prefetches by itself: they lie one behind the other.
	closeBytes = 256
)

// areClose reports whether b begins at most closeBytes behind a.
func areClose(a, b []byte) bool {
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))-uintptr(unsafe.Pointer(unsafe.SliceData(a))) <= closeBytes
}
