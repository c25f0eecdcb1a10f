package list

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
)

const (
	digest    = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	composite = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-3"
)

func read(t *testing.T, f Format, text string) []Entry {
	t.Helper()
	var all []Entry
	for r := NewReader(strings.NewReader(text), f); ; {
		e, err := r.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
}

func TestFormats(t *testing.T) {
	batch := func(status, message string) string {
		return `"b","k","v1","` + status + `","","200","` + strings.ReplaceAll(message, `"`, `""`) + `"`
	}
	for _, tt := range []struct {
		name, format, schema, base string
		line                       string
		want                       Entry // Line is 1, Size -1 if it is 0
	}{
		{name: "coreutils", line: digest + "  a b", want: Entry{Name: "a b", SHA256: digest}},
		{name: "binary mark", line: digest + " *a", want: Entry{Name: "a", SHA256: digest}},
		{name: "upper case", line: strings.ToUpper(digest) + "  a", want: Entry{Name: "a", SHA256: digest}},
		{name: "escapes", line: `\` + digest + `  a\nb\\c\rd`, want: Entry{Name: "a\nb\\c\rd", SHA256: digest}},
		{name: "unknown escape", line: `\` + digest + `  a\tb`, want: Entry{Malformed: `the name contains the escape \t; expected \\, \n or \r`}},
		{name: "CRLF", line: digest + "  a\r", want: Entry{Name: "a", SHA256: digest}},
		{name: "composite", line: composite + "  a", want: Entry{Name: "a", SHA256: composite}},
		{name: "BSD", line: "SHA256 (a) = b) = " + digest, want: Entry{Name: "a) = b", SHA256: digest}},
		{name: "BSD by name", format: "bsd", line: "SHA256 (a) = " + digest, want: Entry{Name: "a", SHA256: digest}},
		{name: "BSD, another digest", line: "SHA256 (a) = 00", want: Entry{Malformed: "the digest has 2 characters; expected 64 hexadecimal digits"}},
		{name: "a name alone", line: "a/b", want: Entry{Malformed: "the line has no digest and name; expected 'DIGEST  NAME' or 'SHA256 (NAME) = DIGEST'"}},
		{name: "short digest", line: digest[1:] + "  a", want: Entry{Malformed: "the digest has 63 characters; expected 64 hexadecimal digits"}},
		{name: "names", format: "names", line: digest + "  a", want: Entry{Name: digest + "  a"}},
		{name: "base", base: "s3://b/x/", line: digest + "  a", want: Entry{Name: "s3://b/x/a", SHA256: digest}},
		{name: "base and an absolute path", base: "s3://b/x/", line: digest + "  /a", want: Entry{Name: "/a", SHA256: digest}},
		{name: "base and a URL", base: "x", line: digest + "  gs://c/a", want: Entry{Name: "gs://c/a", SHA256: digest}},
		{name: "BagIt", format: "bagit", base: "bag", line: digest + " \t data/a%0Ab%25", want: Entry{Name: "bag/data/a\nb%", SHA256: digest}},
		{name: "BagIt, other escapes", format: "bagit", line: digest + "  data/a%20b", want: Entry{Name: "data/a%20b", SHA256: digest}},
		{name: "JSON", line: `{"name":"a","size":7,"sha256":"` + digest + `","modified":"2026-01-02T03:04:05Z"}`,
			want: Entry{Name: "a", Size: 7, SHA256: digest, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		{name: "JSON, not UTF-8", line: `{"name":"?","name_bytes":"/w=="}`, want: Entry{Name: "\xff"}},
		{name: "JSON, a mismatch of a worker", line: `{"line":1,"name":"a","outcome":"mismatch","sha256":"` + strings.Repeat("0", 64) + `","expected":"` + digest + `"}`,
			want: Entry{Name: "a", SHA256: digest}},
		{name: "JSON, cut", line: `{"name":`, want: Entry{Malformed: "not JSON: unexpected end of JSON input"}},
		{name: "JSON without a name", line: `{"size":1}`, want: Entry{Malformed: "no name"}},
		{name: "too long", line: strings.Repeat("x", maxLine+1), want: Entry{Malformed: "longer than 65536 bytes"}},
		{name: "NUL", format: "names", line: "a\x00", want: Entry{Name: "a\x00", Malformed: "a NUL in the name"}},
		{name: "NUL, where coreutils ends a name", line: digest + "  a\x00b", want: Entry{Name: "a", SHA256: digest}},
		{name: "OpenSSL", line: "SHA2-256(a)= " + digest, want: Entry{Name: "a", SHA256: digest}},
		{name: "reversed", line: digest + " a", want: Entry{Name: "a", SHA256: digest}},
		{name: "composite with escapes", line: `\` + composite + `  a\nb`, want: Entry{Name: "a\nb", SHA256: composite}},
		{name: "composite of no parts", line: strings.TrimSuffix(composite, "3") + "0  a", want: Entry{Malformed: "the digest has 46 characters; expected 64 hexadecimal digits"}},
		{name: "rclone", format: "rclone", base: "s3://b", line: `{"Path":"d/a","Name":"a","Size":7,"MimeType":"x","ModTime":"2026-01-02T03:04:05.5Z","IsDir":false,"Hashes":{"md5":"00","sha256":"` + digest + `"}},`,
			want: Entry{Name: "s3://b/d/a", Size: 7, SHA256: digest, Modified: time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC)}},
		{name: "rclone, size not known", format: "rclone", line: `{"Path":"a","Size":-1}`, want: Entry{Name: "a"}},
		{name: "rclone, a directory in the name", format: "rclone", line: `{"Path":"\"IsDir\":true","Size":-1}`, want: Entry{Name: `"IsDir":true`}},
		{name: "rclone, cut", format: "rclone", line: `{"Path":`, want: Entry{Malformed: "not a line of rclone lsjson: unexpected end of JSON input"}},
		{name: "JSON, size of a mismatch", line: `{"name":"a","outcome":"mismatch","size":7,"sha256":"` + digest + `"}`, want: Entry{Name: "a", SHA256: digest}},
		{name: "JSON, size of a match", line: `{"name":"a","outcome":"match","size":7,"sha256":"` + digest + `"}`, want: Entry{Name: "a", Size: 7, SHA256: digest}},
		{name: "JSON, another digest", line: `{"name":"a","sha256":"` + digest[:40] + `"}`,
			want: Entry{Name: "a", Malformed: `not a SHA-256 digest: "` + digest[:40] + `"`}},
		{name: "JSON, malformed", line: `{"name":"a","outcome":"malformed","error":"why"}`, want: Entry{Name: "a", Malformed: "why"}},
		{name: "inventory, the current version", format: "inventory", schema: "Bucket, Key, VersionId", line: `"b","k","null"`, want: Entry{Name: "s3://b/k"}},
		{name: "inventory, a size below 0", format: "inventory", line: `"b","k","-5"`, want: Entry{Name: "s3://b/k", Malformed: `not a size: "-5"`}},
		{name: "batch, another state", format: "batch", line: batch("ignored", `x`), want: Entry{Name: "s3://b/k", Version: "v1", Malformed: "S3 has no checksum: the task ignored: x"}},
		{name: "BagIt, escapes in lower case", format: "bagit", line: digest + " a%0d%0a", want: Entry{Name: "a\r\n", SHA256: digest}},
		{name: "BagIt has no comments", format: "bagit", line: "#" + digest + " a", want: Entry{Malformed: "the digest has 65 characters; expected 64 hexadecimal digits"}},
		{name: "inventory", format: "inventory", line: `"b","a+b%2Bc/%C3%A9"`, want: Entry{Name: "s3://b/a b+c/é"}},
		{name: "inventory with sizes", format: "inventory", line: `"b","k","12"`, want: Entry{Name: "s3://b/k", Size: 12}},
		{name: "inventory with a schema", format: "inventory", schema: "Bucket, Key, VersionId, IsLatest, IsDeleteMarker, Size, LastModifiedDate",
			line: `"b","k","v","true","false","5","2026-01-02T03:04:05.000Z"`,
			want: Entry{Name: "s3://b/k", Version: "v", Size: 5, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		{name: "inventory, delete marker", format: "inventory", schema: "Bucket, Key, VersionId, IsLatest, IsDeleteMarker",
			line: `"b","k","v","true","true"`, want: Entry{Name: "s3://b/k", Version: "v", Malformed: "a delete marker, which has no content"}},
		{name: "inventory without a schema", format: "inventory", line: `"b","k","5","x"`, want: Entry{Malformed: "4 columns, and no schema says what they are"}},
		{name: "inventory, other columns", format: "inventory", schema: "Bucket, Key", line: `"b"`, want: Entry{Malformed: "1 columns, not the 2 of the schema"}},
		{name: "inventory, more columns", format: "inventory", schema: "Bucket, Key", line: `"b","k","v"`, want: Entry{Malformed: "3 columns, not the 2 of the schema"}},
		{name: "batch, full object", format: "batch", line: batch("succeeded", `{"checksum_base64":"x","etag":"e","checksumAlgorithm":"SHA256","checksumType":"FULL_OBJECT","checksum_hex":"`+strings.ToUpper(digest)+`"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", SHA256: digest}},
		{name: "batch, composite", format: "batch", line: batch("succeeded", `{"checksum_base64":"`+composite+`","checksumAlgorithm":"SHA256","checksumType":"COMPOSITE"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", SHA256: composite}},
		{name: "batch, another algorithm", format: "batch", line: batch("succeeded", `{"checksumAlgorithm":"CRC32"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", Malformed: `a checksum of "CRC32", not SHA256`}},
		{name: "batch, failed", format: "batch", line: batch("failed", `Access denied`),
			want: Entry{Name: "s3://b/k", Version: "v1", Malformed: "S3 has no checksum: the task failed: Access denied"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NewFormat(tt.format, tt.schema, tt.base)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Line = 1
			if tt.want.Size == 0 {
				tt.want.Size = -1
			}
			got := read(t, f, tt.line+"\n")
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestNumbersAndComments(t *testing.T) {
	f, _ := NewFormat("auto", "", "")
	got := read(t, f, "\ufeff# comment\n\n"+digest+"  a\n"+strings.Repeat("x", 3*maxLine)+"\n{\"line\":70,\"name\":\"b\"}\n{\"summary\":{}}\n"+digest+"  last")
	var b strings.Builder
	for _, e := range got {
		b.WriteString(strings.Join([]string{string(rune('0' + e.Line%10)), e.Name, e.Malformed}, ",") + ";")
	}
	if want := "3,a,;4,,longer than 65536 bytes;0,b,;7,last,;"; b.String() != want {
		t.Errorf("got %s, want %s", b.String(), want)
	}
}

// TestFrames reads whole lists whose lines are not all of objects.
func TestFrames(t *testing.T) {
	for _, tt := range []struct{ format, text string }{
		{"rclone", "[\n{\"Path\":\"d\",\"Name\":\"d\",\"Size\":-1,\"IsDir\":true},\n{\"Path\":\"a\",\"Size\":7}\n]\n"},
		{"auto", "%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n## Invoked\n7," + digest + ",a\n"},
	} {
		f, err := NewFormat(tt.format, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, f, tt.text); len(got) != 1 || got[0].Name != "a" || got[0].Size != 7 || got[0].Malformed != "" {
			t.Errorf("%s: got %+v", tt.format, got)
		}
	}
}

// inventoryRow is one of S3's inventories in Parquet.
type inventoryRow struct {
	Bucket   string    `parquet:"bucket"`
	Key      string    `parquet:"key"`
	Version  *string   `parquet:"version_id,optional"`
	Delete   *bool     `parquet:"is_delete_marker,optional"`
	Size     *int64    `parquet:"size,optional"`
	Modified time.Time `parquet:"last_modified_date,timestamp(millisecond)"`
	ETag     *string   `parquet:"e_tag,optional"`
}

// An inventory in Parquet has the keys as they are, and any number of row groups.
func TestParquet(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	version, size, yes := "v1", int64(7), true
	rows := []inventoryRow{
		{Bucket: "b", Key: "a+b%2B é", Size: &size, Modified: at},
		{Bucket: "b", Key: "k", Version: &version, Modified: at},
		{Bucket: "b", Key: "gone", Delete: &yes, Modified: at},
	}
	const many = 3*parquetBatch + 5
	for i := range many {
		rows = append(rows, inventoryRow{Bucket: "b", Key: fmt.Sprintf("many/%d", i), Size: &size, Modified: at})
	}
	var file bytes.Buffer
	w := parquet.NewGenericWriter[inventoryRow](&file, parquet.MaxRowsPerRowGroup(300))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewParquetReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want := []Entry{
		{Line: 1, Name: "s3://b/a+b%2B é", Size: 7, Modified: at},
		{Line: 2, Name: "s3://b/k", Version: "v1", Size: -1, Modified: at},
		{Line: 3, Name: "s3://b/gone", Size: -1, Malformed: "a delete marker, which has no content"},
	}
	for i := range many {
		want = append(want, Entry{Line: int64(i + 4), Name: fmt.Sprintf("s3://b/many/%d", i), Size: 7, Modified: at})
	}
	for i, want := range want {
		if got, err := r.Next(); err != nil || got != want {
			t.Fatalf("row %d: got %+v, %v, want %+v", i+1, got, err, want)
		}
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("got %v at the end", err)
	}
	if _, err := NewParquetReader(strings.NewReader("PAR1 no PAR1"), 12); err == nil {
		t.Error("no error for what is not Parquet")
	}
}

// Of names alone, none is a comment.
func TestNamesAreNoComments(t *testing.T) {
	f, _ := NewFormat("names", "", "")
	var got []string
	for _, e := range read(t, f, "\ufeff#recycle/a\n\n{\"summary\":\n") {
		got = append(got, e.Name)
	}
	if want := []string{"#recycle/a", `{"summary":`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAppend tests that what is written is what is read.
func TestAppend(t *testing.T) {
	f, _ := NewFormat("json", "", "")
	for _, e := range []Entry{
		{Line: 5, Name: "s3://b/<k>&\n", Version: "v", SHA256: digest, Size: 9, Modified: time.Unix(1e9, 0).UTC()},
		{Line: 1, Name: "a\xffb", Size: -1},
		{Line: 2, Name: "c", SHA256: composite, PartSize: 8 << 20, Size: 0},
		{Line: 3, Size: -1, Malformed: "why"},
	} {
		if got := read(t, f, string(e.Append(nil))); len(got) != 1 || got[0] != e {
			t.Errorf("got %+v, want %+v", got, e)
		}
	}
}

// A file may say that it was modified in any year.
func TestAppendOfAnyYear(t *testing.T) {
	f, _ := NewFormat("json", "", "")
	for at, want := range map[int64]int{-1e11: 0, 1e9: 2001, 1e12: 9999} {
		e := Entry{Name: "a", Size: -1, Modified: time.Unix(at, 0)}
		if got := read(t, f, string(e.Append(nil))); len(got) != 1 || got[0].Modified.Year() != want {
			t.Errorf("got %+v, want the year %d", got, want)
		}
	}
}

// TestCoreutils tests the names that GNU sha256sum escapes.
func TestCoreutils(t *testing.T) {
	tool, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("no sha256sum")
	}
	dir := t.TempDir()
	for _, name := range []string{"plain", " blank", "back\\slash", "new\nline", "*star", "\xff"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("test"), 0o666); err != nil {
			t.Skip(err)
		}
		for _, args := range [][]string{{name}, {"--tag", name}} {
			c := exec.Command(tool, args...)
			c.Dir = dir
			out, err := c.Output()
			if err != nil {
				t.Skip(err) // not GNU's
			}
			f, _ := NewFormat("auto", "", "")
			if got := read(t, f, string(out)); len(got) != 1 || got[0].Name != name || got[0].SHA256 != digest {
				t.Errorf("%q: got %+v", out, got)
			}
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add("auto", digest+"  a\n")
	f.Add("inventory", `"b","k"`)
	f.Add("json", `{"name":"a"}`)
	f.Add("bagit", digest+" a%0A")
	f.Fuzz(func(t *testing.T, format, text string) {
		fm, err := NewFormat(format, "", "")
		if err != nil {
			return
		}
		for r := NewReader(strings.NewReader(text), fm); ; {
			e, err := r.Next()
			if err != nil {
				return
			}
			if (e.Name == "" || e.SHA256 != "" && len(e.SHA256) != 64 && Parts(e.SHA256) == 0) && e.Malformed == "" {
				t.Fatalf("not malformed: %+v", e)
			}
		}
	})
}
