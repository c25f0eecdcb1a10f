package fixity

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/crc64"
	"strings"
	"testing"

	"github.com/sha256-simd/sha256-simd/fleet/internal/list"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// nvme is the polynomial of CRC-64/NVME, with its bits reversed.
const nvme = 0x9a6c9329ac4bc9b5

// plainly computes what lists may expect of data, with Go's own packages.
func plainly(data []byte) map[string]string {
	castagnoli := crc32.MakeTable(crc32.Castagnoli)
	return map[string]string{
		"md5":       fmt.Sprintf("%x", md5.Sum(data)),
		"sha1":      fmt.Sprintf("%x", sha1.Sum(data)),
		"sha512":    fmt.Sprintf("%x", sha512.Sum512(data)),
		"crc32":     fmt.Sprintf("%08x", crc32.ChecksumIEEE(data)),
		"crc32c":    fmt.Sprintf("%08x", crc32.Checksum(data, castagnoli)),
		"crc64nvme": fmt.Sprintf("%016x", crc64.Checksum(data, crc64.MakeTable(nvme))),
	}
}

// Whatever checksum is expected, the object is read once, and SHA-256 is computed.
func TestChecksums(t *testing.T) {
	s := storetest.New(t)
	dir := t.TempDir()
	for i, n := range lengths {
		data := storetest.Bytes(uint64(i), n)
		key := fmt.Sprint(n)
		s.Put(key, data)
		file := storetest.WriteFile(t, dir, key, data)
		right, wrong := plainly(data), plainly(append([]byte("x"), data...))
		var all []string
		for _, algorithm := range []string{"md5", "sha1", "sha512", "crc32", "crc32c", "crc64nvme"} {
			all = append(all, algorithm+":"+right[algorithm])
		}
		broken := append([]string(nil), all...)
		broken[4] = "crc32c:" + wrong["crc32c"]
		for _, name := range []string{s.Name(key), file} {
			var entries []list.Entry
			var want []Result
			add := func(sha256, checksums, computed string, outcome Outcome) {
				e := list.Entry{Name: name, SHA256: sha256, Checksums: checksums}
				entries = append(entries, e)
				want = append(want, Result{Outcome: outcome, Expected: e.Expected(), Computed: computed})
			}
			for _, one := range all {
				algorithm, _, _ := strings.Cut(one, ":")
				add("", one, one, Match)
				add("", algorithm+":"+wrong[algorithm], one, Mismatch)
			}
			every := strings.Join(all, " ")
			add("", every, every, Match)
			add("", strings.Join(broken, " "), every, Mismatch)
			add(sum(data), every, sum(data)+" "+every, Match)
			add(sum(data), strings.Join(broken, " "), sum(data)+" "+every, Mismatch)
			add(sum([]byte("x")), every, sum(data)+" "+every, Mismatch)
			s.Requests.Store(0)
			for i, r := range check(t, newChecker(t, s, nil), entries...) {
				w := want[i]
				if r.Outcome != w.Outcome || r.SHA256 != sum(data) || r.Expected != w.Expected || r.Computed != w.Computed || r.Size != int64(n) {
					t.Errorf("%s: got %+v, want %+v", name, r, w)
				}
				if err := r.Check(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if n := s.Requests.Load(); name != file && n != int64(len(entries)) {
				t.Errorf("%d reads of %d", n, len(entries))
			}
		}
	}
}

// Of composite checksums the length of parts may be unknown. The object is read once
// all the same.
func TestCompositeChecksums(t *testing.T) {
	const mib = 1 << 20
	s := storetest.New(t)
	data := storetest.Bytes(1, 33*mib)
	s.Put("k", data)
	compositeOf := func(size int) string {
		var sha, crc []byte
		n := 0
		for i := 0; i < len(data); i += size {
			part := data[i:min(i+size, len(data))]
			h := sha1.Sum(part)
			sha = append(sha, h[:]...)
			crc = binary.BigEndian.AppendUint32(crc, crc32.ChecksumIEEE(part))
			n++
		}
		h := sha1.Sum(sha)
		c := binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(crc))
		return fmt.Sprintf("sha1:%s-%d crc32:%s-%d", base64.StdEncoding.EncodeToString(h[:]), n, base64.StdEncoding.EncodeToString(c), n)
	}
	for _, tt := range []struct {
		size, listed, option int // of parts
		want                 Outcome
		says                 string // in the error
	}{
		{size: 8 * mib, want: Match},
		{size: 7 * mib, want: Match}, // as many parts as of 8 MiB
		{size: 16 * mib, want: Match},
		{size: 3 * mib, want: Unreadable, says: "no usual part length divides 34603008 bytes into 11 parts: give it as --part-size"},
		{size: 3 * mib, option: 8 * mib, want: Unreadable, says: "neither --part-size nor a usual part length divides 34603008 bytes into 11 parts"},
		{size: 9 * mib, want: Mismatch, says: "this is no proof of damage: parts of usual lengths do not make the checksum; give their length as part_size in the list, or as --part-size"},
		{size: 8 * mib, option: 7 * mib, want: Mismatch, says: "this is no proof of damage: parts of 7340032 bytes, as --part-size says, do not make the checksum"},
		{size: 8 * mib, option: 16 * mib, want: Match}, // which makes 3 parts, not 5
		{size: 33 * mib, option: 8 * mib, want: Match}, // one part
		{size: 3 * mib, listed: 3 * mib, want: Match},
		{size: 3 * mib, option: 3 * mib, want: Match},
		{size: 8 * mib, listed: 7 * mib, want: Mismatch},
	} {
		t.Run(fmt.Sprint(tt.size/mib, tt.listed/mib, tt.option/mib), func(t *testing.T) {
			c := newChecker(t, s, nil)
			c.PartSize = int64(tt.option)
			s.Requests.Store(0)
			e := list.Entry{Name: s.Name("k"), Checksums: "md5:" + plainly(data)["md5"] + " " + compositeOf(tt.size), PartSize: int64(tt.listed)}
			r := check(t, c, e)[0]
			if (r.Error == "") != (tt.says == "") || !strings.Contains(r.Error, tt.says) {
				t.Errorf("error %q, want %q", r.Error, tt.says)
			}
			if r.Outcome != tt.want || tt.want != Unreadable && r.SHA256 != sum(data) || s.Requests.Load() != 1 {
				t.Errorf("got %+v after %d reads", r, s.Requests.Load())
			}
			if tt.want == Match && (r.Computed != e.Checksums || r.PartSize != int64(tt.size)) {
				t.Errorf("got %+v, want parts of %d", r, tt.size)
			}
		})
	}
}

// A mismatch of parts whose length is not known is proof of damage if another digest or the
// size is wrong, too, or if there is one part.
func TestProofOfDamage(t *testing.T) {
	const mib = 1 << 20
	const five = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-5"
	s := storetest.New(t)
	data := storetest.Bytes(1, 33*mib)
	s.Put("k", data)
	md5, crc := plainly(data)["md5"], "crc32:3eqhBw==-"
	for _, tt := range []struct {
		e     list.Entry
		proof bool
	}{
		{list.Entry{Checksums: crc + "5", Size: -1}, false},
		{list.Entry{Checksums: "md5:" + md5 + " " + crc + "5", Size: -1}, false},
		{list.Entry{SHA256: sum(data), Checksums: crc + "5", Size: -1}, false},
		{list.Entry{SHA256: five, Checksums: "md5:" + md5, Size: 33 * mib}, false},
		{list.Entry{SHA256: five, Checksums: "md5:" + md5, Size: 33*mib + 1}, true},
		{list.Entry{SHA256: five, Checksums: "md5:" + strings.Repeat("0", 32), Size: -1}, true},
		{list.Entry{SHA256: sum(nil), Checksums: crc + "5", Size: -1}, true},
		{list.Entry{Checksums: crc + "1", Size: -1}, true},
		{list.Entry{Checksums: crc + "5", PartSize: 8 * mib, Size: -1}, true},
	} {
		tt.e.Name = s.Name("k")
		var r Result
		if err := newChecker(t, s, nil).Run(t.Context(), one(tt.e), func(result *Result) error { r = *result; return nil }); err != nil {
			t.Fatal(err)
		}
		if r.Outcome != Mismatch || strings.Contains(r.Error, "no proof of damage") == tt.proof {
			t.Errorf("%+v: got %+v", tt.e, r)
		}
	}
}

// A composite digest of SHA-256 is computed by reading once for each length of parts.
// Other checksums beside it are of one of these readings.
func TestChecksumsBesideComposite(t *testing.T) {
	const mib = 1 << 20
	s := storetest.New(t)
	data := storetest.Bytes(1, 33*mib)
	s.Put("k", data)
	e := list.Entry{Name: s.Name("k"), Checksums: "md5:" + plainly(data)["md5"]}
	var sums []byte
	for i := 0; i < len(data); i += 7 * mib {
		h := sha256.Sum256(data[i:min(i+7*mib, len(data))])
		sums = append(sums, h[:]...)
	}
	h := sha256.Sum256(sums)
	e.SHA256 = base64.StdEncoding.EncodeToString(h[:]) + "-5"
	if r := check(t, newChecker(t, s, nil), e)[0]; r.Outcome != Match || r.Computed != e.Expected() || r.PartSize != 7*mib {
		t.Errorf("got %+v", r)
	}
}

// What a body has twice, after it broke off, is in no checksum twice.
func TestChecksumsOfBrokenBodies(t *testing.T) {
	s := storetest.New(t)
	data := storetest.Bytes(1, 3*maxChunk)
	s.Put("k", data)
	s.Faults(func(_ string, nth int) storetest.Fault {
		if nth < 3 {
			return storetest.Fault{Cut: 100_001}
		}
		return storetest.Fault{}
	})
	e := list.Entry{Name: s.Name("k"), Checksums: "crc64nvme:" + plainly(data)["crc64nvme"]}
	if r := check(t, newChecker(t, s, nil), e)[0]; r.Outcome != Match || s.Requests.Load() != 4 {
		t.Errorf("got %+v after %d reads", r, s.Requests.Load())
	}
}
