package input

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/sha256-simd/sha256-simd/fleet/internal/store"
	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

// read returns "LINE NAME" of each entry of lists; a malformed entry has its reason
// in the place of the name.
func read(t *testing.T, s *store.Store, names []string, o Options) []string {
	t.Helper()
	r, err := Open(t.Context(), s, nil, names, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for {
		e, err := r.Next()
		if err == io.EOF {
			return got
		}
		if err != nil {
			t.Fatal(err)
		}
		name := e.Name
		if e.Malformed != "" {
			name = e.Malformed
		}
		got = append(got, fmt.Sprint(e.Line, " ", name))
	}
}

func newStore(t *testing.T) (*storetest.Server, *store.Store) {
	t.Helper()
	server := storetest.New(t)
	s, err := store.New(store.Options{Params: []string{server.Params()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return server, s
}

func TestInventories(t *testing.T) {
	server, s := newStore(t)
	server.Put("1.csv", []byte("\"b\",\"k%2B\"\n\"b\",\"l\"\n"))
	server.Put("2.csv", []byte("\"b\",\"m\"\n"))
	var file strings.Builder
	w := parquet.NewGenericWriter[struct {
		Bucket string `parquet:"bucket"`
		Key    string `parquet:"key"`
	}](&file)
	w.Write([]struct {
		Bucket string `parquet:"bucket"`
		Key    string `parquet:"key"`
	}{{"b", "k%2B"}, {"b", "l"}})
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	server.Put("1.parquet", []byte(file.String()))
	manifest := func(format, schema string, keys ...string) string {
		var files []string
		for _, k := range keys {
			files = append(files, fmt.Sprintf(`{"key":%q}`, k))
		}
		dir := t.TempDir()
		return storetest.WriteFile(t, dir, "manifest.json", fmt.Appendf(nil,
			`{"destinationBucket":"arn:aws:s3:::bucket","fileFormat":%q,"fileSchema":%q,"files":[%s]}`, format, schema, strings.Join(files, ",")))
	}
	for _, tt := range []struct {
		name, list, schema string
		want               []string
	}{
		{"CSV, numbered through", manifest("CSV", "Bucket, Key", "1.csv", "2.csv"), "", []string{"1 s3://b/k+", "2 s3://b/l", "3 s3://b/m"}},
		{"the option's schema comes first", manifest("CSV", "Key, Bucket", "2.csv"), "Bucket, Key", []string{"1 s3://b/m"}},
		{"the manifest's schema", manifest("CSV", "Key, Bucket", "2.csv"), "", []string{"1 s3://m/b"}},
		{"Parquet", manifest("Parquet", "message s3.inventory {}", "1.parquet"), "", []string{"1 s3://b/k%2B", "2 s3://b/l"}},
		{"a file of Parquet", "s3://bucket/1.parquet", "", []string{"1 s3://b/k%2B", "2 s3://b/l"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := read(t, s, []string{tt.list}, Options{Format: "inventory", Schema: tt.schema}); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	for want, list := range map[string]string{
		"names no lists":                manifest("CSV", "Bucket, Key"),
		"only CSV and Parquet are read": manifest("Avro", "", "x.avro"),
		"spark.read.orc":                manifest("ORC", "", "x.orc"),
	} {
		if _, err := Open(t.Context(), s, nil, []string{list}, Options{Format: "inventory"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// A bag's paths begin where its manifest is, unless a base is given, and stay there. The
// version in its declaration says whether %25 is an escape. Without a declaration there is no
// bag, unless the format says so.
func TestBags(t *testing.T) {
	server, s := newStore(t)
	const out = "the name leads out of the bag"
	for _, tt := range []struct {
		name, manifest, version, base string
		want                          string // DIR is the bag's
	}{
		{"a base", "data/a%25", "1.0", "s3://b", "s3://b/data/a%"},
		{"no bag", "data/a%25", "", "", "data/a%25"},
		{"no bag, an absolute path", "/a", "", "", "/a"},
		{"no bag, a directory above", "../a", "", "", "../a"},
		{"no bag, a URL and a base", "s3://c/a", "", "s3://b", "s3://c/a"},
		{"version 1.0", "data/a%25%0A", "1.0", "", "DIR/data/a%\n"},
		{"version 0.97", "data/a%25%0A", "0.97", "", "DIR/data/a%25\n"},
		{"version 0.97, a base", "data/a%25", "0.97", "s3://b", "s3://b/data/a%25"},
		{"an unknown version", "data/a%25", "2.0", "", "DIR/data/a%"},
		{"not a declaration", "data/a%25", "x", "", "DIR/data/a%"},
		{"an absolute path", "/a", "1.0", "", out},
		{"a directory above", "data/../../a", "1.0", "", out},
		{"a directory above, encoded", "..%0a/../../a", "1.0", "", out},
		{"a home", "~/a", "1.0", "", out},
		{"another store", "s3://b/a", "1.0", "", out},
		{"another store below a base", "s3://b/a", "1.0", "s3://b", out},
		{"a file's URL", "file:///a", "1.0", "", out},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{"manifest-sha256.txt": digest + " " + tt.manifest + "\n"}
			if tt.version != "" {
				files["bagit.txt"] = "BagIt-Version: " + tt.version + "\nTag-File-Character-Encoding: UTF-8\n"
			}
			for name, text := range files {
				storetest.WriteFile(t, dir, name, []byte(text))
				server.Put(tt.name+"/"+name, []byte(text))
			}
			for _, dir := range []string{dir, server.Name(tt.name)} {
				want := "1 " + strings.ReplaceAll(tt.want, "DIR", dir)
				if got := read(t, s, []string{dir + "/manifest-sha256.txt"}, Options{Format: "auto", Base: tt.base}); len(got) != 1 || got[0] != want {
					t.Errorf("got %q, want %q", got, want)
				}
			}
		})
	}
	file := storetest.WriteFile(t, t.TempDir(), "manifest-sha256.txt", []byte(digest+" a%25\n"))
	want := "1 " + filepath.Join(filepath.Dir(file), "a%")
	if got := read(t, s, []string{file}, Options{Format: "bagit"}); len(got) != 1 || got[0] != want {
		t.Errorf("by the format: got %q, want %q", got, want)
	}
}

// A declaration that cannot be read is not none. The error tells what does without.
func TestDeclarationThatCannotBeRead(t *testing.T) {
	server, s := newStore(t)
	server.Put("manifest-sha256.txt", []byte(digest+"  data/a\n"))
	server.Put("bagit.txt", nil)
	server.Faults(func(key string, _ int) storetest.Fault {
		if key == "bagit.txt" {
			return storetest.Fault{Status: 403}
		}
		return storetest.Fault{}
	})
	name := server.Name("manifest-sha256.txt")
	for _, format := range []string{"auto", "bagit"} {
		r, err := Open(t.Context(), s, nil, []string{name}, Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		e, err := r.Next()
		for _, want := range []string{"manifest-sha256.txt: reading the declaration of the bag: ", "; --format coreutils --base " + store.Dir(name)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %+v, %v, want %q", format, e, err, want)
			}
		}
	}
	want := "1 " + store.Dir(name) + "data/a"
	if got := read(t, s, []string{name}, Options{Format: "coreutils", Base: store.Dir(name)}); len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A list's text is the same in any format, and compressed, and its ID is not. Manifests of bags
// in two directories are two texts, however they are read.
func TestTextID(t *testing.T) {
	_, s := newStore(t)
	const text = digest + "  data/a\n"
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(text))
	z.Close()
	file := func(name string, data []byte) string { return storetest.WriteFile(t, t.TempDir(), name, data) }
	list, compressed := file("list", []byte(text)), file("list.gz", zipped.Bytes())
	bag, other := file("manifest-sha256.txt", []byte(text)), file("manifest-sha256.txt", []byte(text))
	for _, manifest := range []string{bag, other} {
		storetest.WriteFile(t, filepath.Dir(manifest), "bagit.txt", nil)
	}
	for _, tt := range []struct {
		a, formatA, b, formatB string
		text, id               bool // are the same
	}{
		{list, "auto", list, "auto", true, true},
		{list, "auto", compressed, "coreutils", true, true},
		{list, "auto", list, "bsd", true, false},
		{list, "auto", list, "names", true, false},
		{list, "auto", bag, "auto", false, false},
		{bag, "auto", bag, "bsd", true, false},
		{bag, "auto", bag, "bagit", true, true},
		{bag, "auto", other, "auto", false, false},
		{bag, "bsd", other, "bsd", false, true},
	} {
		ids := func(name, format string) (string, string) {
			r, err := Open(t.Context(), s, nil, []string{name}, Options{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			for err == nil {
				_, err = r.Next()
			}
			return r.TextID(), r.ID()
		}
		textA, idA := ids(tt.a, tt.formatA)
		textB, idB := ids(tt.b, tt.formatB)
		if (textA == textB) != tt.text || (idA == idB) != tt.id {
			t.Errorf("%s as %s, and %s as %s: the same text %v, the same ID %v", tt.a, tt.formatA, tt.b, tt.formatB, textA == textB, idA == idB)
		}
	}
}

// Standard input is a list between others.
func TestStandardInput(t *testing.T) {
	_, s := newStore(t)
	list := storetest.WriteFile(t, t.TempDir(), "list", []byte(digest+"  a\n"))
	r, err := Open(t.Context(), s, strings.NewReader(digest+"  b\n"), []string{list, Stdin, list}, Options{Format: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for e, err := r.Next(); err != io.EOF; e, err = r.Next() {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Name)
	}
	if want := []string{"a", "b", "a"}; !slices.Equal(got, want) || len(r.Sources()) != 3 || r.Sources()[1].Name != Stdin {
		t.Errorf("got %q of %+v, want %q", got, r.Sources(), want)
	}
}

// What cannot be opened is an error that names the list, and leaves nothing open.
func TestListsThatCannotBeRead(t *testing.T) {
	_, s := newStore(t)
	dir := t.TempDir()
	storetest.WriteFile(t, dir, "a.gz", []byte("not compressed"))
	storetest.WriteFile(t, dir, "a.parquet", []byte("not Parquet"))
	for name, format := range map[string]string{"none": "auto", "a.gz": "auto", "a.parquet": "inventory"} {
		r, err := Open(t.Context(), s, nil, []string{filepath.Join(dir, name)}, Options{Format: format})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What has no lines is an error, and not a list of malformed lines.
func TestListsThatAreNoText(t *testing.T) {
	_, s := newStore(t)
	dir := t.TempDir()
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("ORC\x00\x01"))
	z.Close()
	for _, tt := range []struct {
		name, text string
		want       string // is in the error, or "" for none
	}{
		{"data.orc", "ORC\x0a\x0b\x00\x00\x03", "spark.read.orc"},
		{"uncompressed.orc", "ORC\x0a\x06\x12\x04\x08\x05\x50\x00", "spark.read.orc"},
		{"data.orc.gz", zipped.String(), "spark.read.orc"},
		{"data", "PAR1\x15\x04\x15\x00", "--format inventory, and from a name that ends in .parquet"},
		{"list", zipped.String(), "needs a name that ends in .gz"},
		{"Get-FileHash", "\xff\xfea\x00\n\x00", "a list in UTF-16: convert it to UTF-8"},
		{"of another byte order", "\xfe\xff\x00a\x00\n", "a list in UTF-16: convert it to UTF-8"},
		{"without its mark", "a\x00b\x00\n\x00", "a list in UTF-16: convert it to UTF-8"},
		{"of another byte order, without", "\x00a\x00b\x00\n", "a list in UTF-16: convert it to UTF-8"},
		{"zeros", "\x00\x00\x00\x00", ""},
		{"NULs behind names", "a\x00bc\x00d\x00", ""},
		{"names", "ORC/é\tx\r\nORC\n", ""},
		{"short", "PAR1", ""},
		{"shorter", "O", ""},
		{"cut within a letter", "ORC" + strings.Repeat("x", 508) + "é", ""},
		{"empty", "", ""},
	} {
		for _, format := range []string{"names", "inventory"} {
			file := storetest.WriteFile(t, dir, tt.name, []byte(tt.text))
			named, err := Open(t.Context(), s, nil, []string{file}, Options{Format: format})
			if err != nil {
				t.Fatal(err)
			}
			all := []*Reader{named}
			if !strings.HasSuffix(tt.name, ".gz") {
				stdin, err := Open(t.Context(), s, strings.NewReader(tt.text), []string{Stdin}, Options{Format: format})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, stdin)
			}
			for _, r := range all {
				e, err := r.Next()
				if tt.want == "" && err != nil && err != io.EOF || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
					t.Errorf("%s as %s: got %+v, %v, want %q", tt.name, format, e, err, tt.want)
				}
				if format == "names" && tt.want == "" && err == nil && !strings.HasPrefix(tt.text, e.Name) {
					t.Errorf("%s: got %+v", tt.name, e)
				}
				r.Close()
			}
		}
	}
}

// Lines of a list that has numbers, such as a worker's output, come in any order. The
// next list begins behind the highest.
func TestNumbersOfLists(t *testing.T) {
	_, s := newStore(t)
	dir := t.TempDir()
	numbered := storetest.WriteFile(t, dir, "numbered", []byte(`{"line":7,"name":"g"}`+"\n"+`{"line":2,"name":"b"}`+"\n"))
	plain := storetest.WriteFile(t, dir, "plain", []byte(digest+"  a\n"))
	got := read(t, s, []string{plain, numbered, plain}, Options{Format: "auto"})
	if want := []string{"1 a", "8 g", "3 b", "9 a"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Lists are closed as they end: there may be more than files can be open.
func TestListsAreClosed(t *testing.T) {
	open := func() int {
		all, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(all)
	}
	_, s := newStore(t)
	list := storetest.WriteFile(t, t.TempDir(), "list", []byte(digest+"  a\n"))
	before := open()
	r, err := Open(t.Context(), s, nil, slices.Repeat([]string{list}, 20), Options{Format: "auto"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 20 {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if now := open(); now > before+1 {
			t.Fatalf("%d descriptors are open, not %d", now, before+1)
		}
	}
}
