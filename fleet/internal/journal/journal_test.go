package journal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/fixity"
	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
)

func newJournal(t testing.TB) *Journal {
	t.Helper()
	s, err := store.New(store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &Journal{Store: s, URL: t.TempDir()}
}

func entries(sizes ...int64) func() (list.Entry, error) {
	i := 0
	return func() (list.Entry, error) {
		if i == len(sizes) {
			return list.Entry{}, io.EOF
		}
		i++
		return list.Entry{Line: int64(i), Name: fmt.Sprint(i), Size: sizes[i-1]}, nil
	}
}

// Shards have about as many bytes each, not as many lines.
func TestSplitByBytes(t *testing.T) {
	const gib = 1 << 30
	for _, tt := range []struct {
		name   string
		sizes  []int64
		shards int
		want   []int64 // lines
	}{
		{"none", nil, 4, []int64{}},
		{"one", []int64{5}, 4, []int64{1}},
		{"alike", slices.Repeat([]int64{gib}, 8), 4, []int64{2, 2, 2, 2}},
		{"a long one first", append([]int64{8 * gib}, slices.Repeat([]int64{gib}, 8)...), 4, []int64{1, 4, 4}},
		{"a long one last", append(slices.Repeat([]int64{gib}, 8), 8*gib), 2, []int64{8, 1}},
		{"empty ones cost requests", slices.Repeat([]int64{0}, 1000), 4, []int64{250, 250, 250, 250}},
		{"sizes not known", slices.Repeat([]int64{-1}, 10), 3, []int64{3, 4, 3}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j := newJournal(t)
			plan, err := j.Split(context.Background(), Split{Shards: tt.shards}, entries(tt.sizes...))
			if err != nil {
				t.Fatal(err)
			}
			got := []int64{}
			var lines int64
			for _, s := range plan.Shards {
				got = append(got, s.Lines)
				lines += s.Lines
			}
			if !slices.Equal(got, tt.want) || lines != plan.Lines {
				t.Errorf("got %d of %d lines, want %d", got, plan.Lines, tt.want)
			}
			again, err := j.Split(context.Background(), Split{Shards: tt.shards + 1}, entries(tt.sizes...))
			if err != nil || !slices.Equal(again.Shards, plan.Shards) {
				t.Errorf("again: %v, %v", again, err)
			}
		})
	}
}

// A result that was cut, or is not what it says, is not relied on.
func TestReadResult(t *testing.T) {
	var good bytes.Buffer
	var counts fixity.Counts
	for i := range 3 {
		r := &fixity.Result{Line: int64(i + 1), Name: "n", Outcome: fixity.New, SHA256: strings.Repeat("0", 64), Size: 5}
		counts.Add(r)
		good.Write(r.Append(nil))
	}
	good.Write(list.AppendJSON(nil, Summary{counts}))
	none := func(*fixity.Result) error { return nil }
	if got, err := ReadResult(bytes.NewReader(good.Bytes()), none); err != nil || got != counts {
		t.Errorf("got %+v, %v", got, err)
	}
	for n := range good.Len() - 1 {
		if _, err := ReadResult(bytes.NewReader(good.Bytes()[:n]), none); err == nil {
			t.Fatalf("no error for %q", good.Bytes()[:n])
		}
	}
	_, rest, _ := bytes.Cut(good.Bytes(), []byte("\n"))
	if _, err := ReadResult(bytes.NewReader(rest), none); err == nil {
		t.Error("no error for a line that is missing")
	}
	if _, err := ReadResult(io.MultiReader(&good, strings.NewReader("\n")), none); err == nil {
		t.Error("no error for what follows the summary")
	}
}

// TestManifest sorts more than fits in memory at once.
func TestManifest(t *testing.T) {
	m := NewManifest(context.Background())
	defer m.Close()
	const n = 3*sortChunk + 5
	for _, i := range rand.Perm(n) {
		r := &fixity.Result{Name: fmt.Sprintf("%08d", i), Outcome: fixity.Match, SHA256: fmt.Sprintf("%064d", i)}
		m.Add(r)
		if i%100 == 0 {
			m.Add(r)
		}
		m.Add(&fixity.Result{Name: "x", Outcome: fixity.Mismatch})
	}
	var got, want bytes.Buffer
	if err := m.Write(&got); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		fmt.Fprintf(&want, "%064d  %08d\n", i, i)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("not sorted, or not complete")
	}
}

func TestManifestNames(t *testing.T) {
	m := NewManifest(context.Background())
	defer m.Close()
	for _, name := range []string{"b", "a\nb", "a", "a b", "a/b", "a-b", "\xff"} {
		m.Add(&fixity.Result{Name: name, NameBytes: []byte(name), Outcome: fixity.New, SHA256: "D"})
	}
	var got strings.Builder
	if err := m.Write(&got); err != nil {
		t.Fatal(err)
	}
	// By bytes, as LC_ALL=C sort does.
	if want := "D  a\n\\D  a\\nb\nD  a b\nD  a-b\nD  a/b\nD  b\nD  \xff\n"; got.String() != want {
		t.Errorf("got %q", got.String())
	}
}

// An error of the sorting does not leave Add waiting.
func TestManifestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := NewManifest(ctx)
	defer m.Close()
	for range 10 * sortChunk {
		m.Add(&fixity.Result{Name: "n", Outcome: fixity.New})
	}
	if err := m.Write(io.Discard); err == nil {
		t.Error("no error")
	}
}
