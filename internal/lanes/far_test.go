package lanes

import "testing"

// TestIsFar tests the sizes from which lists are fetched: of long messages soon, of
// short ones only if they are many, also if the sizes are those of a 32-bit machine.
func TestIsFar(t *testing.T) {
	for _, tt := range []struct {
		messages, size int
		far            bool
	}{
		{0, 0, false},
		{1, 4 << 10, false}, {1, 4<<10 + 1, true}, {1, 1<<31 - 1, true},
		{4, 4 * 1000, false}, {5, 5 * 1000, true}, {16, 4096, false}, {17, 17 * 256, true},
		{17, 17*256 - 1, false}, {500, 500 * 255, false}, {512, 512 * 255, false},
		{1000, 128 << 10, false}, {1000, 128<<10 + 1, true}, {1 << 30, 1<<31 - 1, true},
	} {
		if got := isFar(tt.messages, tt.size); got != tt.far {
			t.Errorf("%d messages of %d bytes together: %v", tt.messages, tt.size, got)
		}
	}
}
