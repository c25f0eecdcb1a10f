package cpu

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// TestDetect compares with another library's view of this CPU. It does not know
// SHA, nor vendors and models.
func TestDetect(t *testing.T) {
	x := cpu.X86
	got := detect()
	for _, tt := range []struct {
		feature Features
		want    bool
	}{
		{SSSE3, x.HasSSSE3}, {AVX, x.HasAVX}, {AVX2, x.HasAVX2}, {BMI2, x.HasBMI2},
		{AVX512F, x.HasAVX512F}, {AVX512BW, x.HasAVX512BW}, {AVX512VL, x.HasAVX512VL},
	} {
		if got.Features.Has(tt.feature) != tt.want {
			t.Errorf("%v: %v, want %v", tt.feature, !tt.want, tt.want)
		}
	}
}
