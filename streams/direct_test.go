package streams

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"github.com/sha256-simd/sha256-simd"
	"github.com/sha256-simd/sha256-simd/internal/workers"
)

// TestNothingIsKept looks for streams, data and hashes in a batch that goes to the pool.
func TestNothingIsKept(t *testing.T) {
	b := new(batch)
	r := &readers{dst: make([][sha256.Size]byte, 100)}
	slots := [2]*slot{new(slot), new(slot)}
	for i := range r.dst {
		s := slots[i%2]
		data := bytes.Repeat([]byte{1}, i)
		for _, p := range []piece{
			{slot: s, index: i, data: data, first: true, last: true},
			{slot: s, index: i, data: data, first: true},
			{slot: s, index: i, data: data, last: true},
			{slot: s, index: i, last: true, err: errors.New("broken")},
		} {
			b.add(p)
		}
	}
	b.add(piece{slot: slots[0], data: []byte{1}, first: true}) // at last, without another slot's
	b.shorts = append(b.shorts, piece{slot: slots[0]})
	for b.len() > 0 {
		b.shorts = b.shorts[:0]
		b.hash(r)
	}
	b.forget()
	v := reflect.ValueOf(b).Elem()
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		if f.Len() > 0 && name != "sums" {
			t.Errorf("%s has %d elements", name, f.Len())
		}
		if name == "index" || name == "sums" {
			continue
		}
		if f.Cap() == 0 {
			t.Errorf("%s was not used", name)
		}
		for k := range f.Cap() {
			if !f.Slice(0, f.Cap()).Index(k).IsZero() {
				t.Errorf("%s keeps an element", name)
				break
			}
		}
	}
}

// TestOnlySmallBatchesAreKept tests both sides of the size up to which a batch goes to the
// pool: a call of very many streams must not keep its memory for good.
func TestOnlySmallBatchesAreKept(t *testing.T) {
	for capacity, want := range map[int]bool{0: true, 2 * maxBatch: true, 2*maxBatch + 1: false} {
		kept := false
		for range 100 { // under the race detector, the pool drops some
			d := &direct{readers: new(readers), batch: &batch{failed: make([]piece, 0, capacity)}}
			d.group, d.ctx = workers.New(t.Context(), errExited)
			d.end()
			kept = kept || batches.Get().(*batch) == d.batch
		}
		if kept != want {
			t.Errorf("a batch for %d pieces is kept: %v, want %v", capacity, kept, want)
		}
	}
}
