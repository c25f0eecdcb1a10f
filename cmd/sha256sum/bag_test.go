package main

import (
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha3"
	"crypto/sha512"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/crypto/blake2b"
	"golang.org/x/crypto/blake2s"
)

// runTool does what the arguments ask for, in this process.
func runTool(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	o, err := parseOptions(args)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	p, results := newPipeline(o, nil), newPrinter(o, outputs{}, &out, &errs, &out)
	err = p.run(t.Context(), newSource(o, &p.files, outputs{}).items(), results)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), results.exitStatus()
}

// aBag is the files of a bag by their names. seal gives it manifests.
type aBag map[string]string

func newBag() aBag {
	return aBag{
		"bagit.txt":    "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n",
		"data/a":       "abc",
		"data/b/c":     "more",
		"bag-info.txt": "Source-Organization: nobody\nPayload-Oxum: 7.2\n",
	}
}

func line(name, contents string) string {
	return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(contents)), name)
}

// seal adds the manifest of the payload, if there is none.
func (b aBag) seal() {
	const name = "manifest-sha256.txt"
	if _, found := b[name]; found {
		return
	}
	for _, file := range []string{"data/a", "data/b/c"} {
		b[name] += line(file, b[file])
	}
}

func (b aBag) write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bag")
	for name, contents := range b {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(contents), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func utf16Text(s string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + s)) {
		b.WriteByte(byte(u >> 8))
		b.WriteByte(byte(u))
	}
	return b.String()
}

// Bags are valid or not as RFC 8493 and the specifications before it say.
func TestBags(t *testing.T) {
	const declared = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
	older := strings.Replace(declared, "1.0", "0.97", 1)
	md5Line := func(name, contents string) string { return fmt.Sprintf("%x %s\n", md5.Sum([]byte(contents)), name) }
	for _, test := range []struct {
		name   string
		change func(b aBag)
		wrong  string // in what is said; "" if the bag is valid
	}{
		{"as it is", func(b aBag) {}, ""},
		{"CRLF", func(b aBag) { b["bagit.txt"] = strings.ReplaceAll(declared, "\n", "\r\n") }, ""},
		{"CR", func(b aBag) { b["bagit.txt"] = strings.ReplaceAll(declared, "\n", "\r") }, ""},
		{"CR everywhere", func(b aBag) {
			b.seal()
			b["fetch.txt"] = "https://example.org/a 3 data/a\nhttps://example.org/c - data/b/c\n"
			for _, name := range []string{"manifest-sha256.txt", "bag-info.txt", "fetch.txt"} {
				b[name] = strings.ReplaceAll(b[name], "\n", "\r")
			}
		}, ""},
		{"CRLF everywhere, a wrong line", func(b aBag) {
			b.seal()
			b["manifest-sha256.txt"] = strings.ReplaceAll(b["manifest-sha256.txt"]+"nonsense\n", "\n", "\r\n")
		}, "manifest-sha256.txt: 3: "},
		{"a wrong size behind CR", func(b aBag) { b["bag-info.txt"] = "Source-Organization: nobody\rPayload-Oxum: 8.2\r" }, "Payload-Oxum is 8.2; the payload has 7.2"},
		{"last line without an end", func(b aBag) { b["bagit.txt"] = strings.TrimSuffix(declared, "\n") }, ""},
		{"no payload", func(b aBag) {
			delete(b, "data/a")
			delete(b, "data/b/c")
			delete(b, "bag-info.txt")
			b["data/.keep"], b["manifest-sha256.txt"] = "", line("data/.keep", "")
		}, ""},

		// The declaration.
		{"a byte order mark", func(b aBag) { b["bagit.txt"] = "\ufeff" + declared }, "not the declaration of a bag"},
		{"a third line", func(b aBag) { b["bagit.txt"] = declared + "X: y\n" }, "3 lines; expected 2"},
		{"one line", func(b aBag) { b["bagit.txt"] = "BagIt-Version: 1.0\n" }, "1 lines; expected 2"},
		{"nothing", func(b aBag) { b["bagit.txt"] = "" }, "1 lines; expected 2"},
		{"white space", func(b aBag) { b["bagit.txt"] = strings.Replace(declared, ": 1", " : 1", 1) }, "not the declaration of a bag"},
		{"half a declaration", func(b aBag) { b["bagit.txt"] = "BagIt-Version: 1.0\nEncoding: UTF-8\n" }, "not the declaration of a bag"},
		{"the other half", func(b aBag) { b["bagit.txt"] = "Version: 1.0\nTag-File-Character-Encoding: UTF-8\n" }, "not the declaration of a bag"},
		{"no number of a version", func(b aBag) { b["bagit.txt"] = strings.Replace(declared, "1.0", "1.x", 1) }, "not the declaration of a bag"},
		{"a version to come", func(b aBag) { b["bagit.txt"] = strings.Replace(declared, "1.0", "2.0", 1) }, "version 2.0 of BagIt is unknown"},
		{"an unknown encoding", func(b aBag) { b["bagit.txt"] = strings.Replace(declared, "UTF-8", "EBCDIC", 1) }, "the encoding EBCDIC is unknown"},
		{"UTF-16", func(b aBag) {
			b["bagit.txt"] = strings.Replace(declared, "UTF-8", "UTF-16", 1)
			b.seal()
			b["manifest-sha256.txt"] = utf16Text(b["manifest-sha256.txt"])
			b["bag-info.txt"] = utf16Text(b["bag-info.txt"])
		}, ""},
		{"ISO 8859-1", func(b aBag) {
			b["bagit.txt"] = strings.Replace(declared, "UTF-8", "ISO-8859-1", 1)
			b.seal()
			b["data/\u00e9"] = "x"
			b["manifest-sha256.txt"] += line("data/\xe9", "x")
			delete(b, "bag-info.txt")
		}, ""},

		// The payload.
		{"another file", func(b aBag) { b.seal(); b["data/more"] = "x" }, "data/more: UNLISTED"},
		{"a name of a temporary file", func(b aBag) { b.seal(); b["data/.sha256sum.0123abcd"] = "x" }, "UNLISTED"},
		{"a file that is gone", func(b aBag) { b.seal(); delete(b, "data/a") }, "data/a: MISSING"},
		{"a file that was moved", func(b aBag) { b.seal(); b["data/z"] = b["data/a"]; delete(b, "data/a") }, "data/z: MOVED from data/a"},
		{"another contents", func(b aBag) { b.seal(); b["data/a"] = "abd" }, "data/a: FAILED"},
		{"no data", func(b aBag) { delete(b, "data/a"); delete(b, "data/b/c"); b["manifest-sha256.txt"] = "" }, "the payload directory is missing"},
		{"no manifest", func(b aBag) { b["manifest-sha256.txt"] = ""; b.drop("manifest-sha256.txt") }, "no payload manifest"},
		{"a wrong size", func(b aBag) { b["bag-info.txt"] = "Payload-Oxum: 8.2\n" }, "Payload-Oxum is 8.2; the payload has 7.2"},
		{"a wrong count", func(b aBag) { b["bag-info.txt"] = "Payload-Oxum: 7.3\n" }, "Payload-Oxum is 7.3; the payload has 7.2"},
		{"two sizes", func(b aBag) { b["bag-info.txt"] += "Payload-Oxum: 7.2\n" }, "2 values of Payload-Oxum"},
		{"no size", func(b aBag) { b["bag-info.txt"] = "Payload-Oxum: 7\n" }, "expected BYTES.FILES"},
		{"a line without a label", func(b aBag) { b["bag-info.txt"] += "nonsense\n" }, "expected 'LABEL: VALUE'"},
		{"a wrong size, where version 0.95 has it", func(b aBag) {
			b["bagit.txt"] = strings.Replace(declared, "1.0", "0.95", 1)
			b["package-info.txt"] = "Payload-Oxum: 8.2\n"
		}, "Payload-Oxum is 8.2; the payload has 7.2"},
		{"a wrong size, where version 0.95 has none", func(b aBag) {
			b["bagit.txt"] = strings.Replace(declared, "1.0", "0.95", 1)
			b["bag-info.txt"] = "Payload-Oxum: 8.2\n"
		}, ""},
		{"a wrong size, where version 0.96 has it", func(b aBag) {
			b["bagit.txt"] = strings.Replace(declared, "1.0", "0.96", 1)
			b["bag-info.txt"] = "Payload-Oxum: 8.2\n"
		}, "Payload-Oxum is 8.2; the payload has 7.2"},
		{"a line that is too long to be read", func(b aBag) { b["bag-info.txt"] = "A: " + strings.Repeat("b", 1<<20) + "\nPayload-Oxum: 8.2\n" }, "bag-info.txt: "},
		{"a value of two lines", func(b aBag) { b["bag-info.txt"] = "A: b\n  c\nPayload-Oxum: 7.2\n" }, ""},

		// Manifests.
		{"bagit.txt in the manifest", func(b aBag) {
			b.seal()
			b["manifest-sha256.txt"] += line("bagit.txt", declared)
		}, "3: the name is not of the payload"},
		{"a name that leads out", func(b aBag) { b.seal(); b["manifest-sha256.txt"] += line("data/../../bag/data/a", "abc") }, "the name leads out of the bag"},
		{"an absolute name", func(b aBag) { b.seal(); b["manifest-sha256.txt"] += line("/etc/passwd", "") }, "the name leads out of the bag"},
		{"a dash", func(b aBag) { b.seal(); b["manifest-sha256.txt"] += line("-", "") }, "the name is not of the payload"},
		{"a file twice", func(b aBag) { b.seal(); b["manifest-sha256.txt"] += line("./data/a", "abc") }, "1 file is listed more than once"},
		{"a BSD line", func(b aBag) {
			b["manifest-sha256.txt"] = fmt.Sprintf("SHA256 (data/a) = %x\n", sha256.Sum256([]byte("abc"))) + line("data/b/c", "more")
		}, "1: "},
		{"a line that is none", func(b aBag) { b.seal(); b["manifest-sha256.txt"] += "nonsense\n" }, "3: "},
		{"MD5 beside it", func(b aBag) { b["manifest-md5.txt"] = md5Line("data/a", "abc") + md5Line("data/b/c", "more") }, ""},
		{"MD5 alone", func(b aBag) {
			b.drop("manifest-sha256.txt")
			b["manifest-md5.txt"] = md5Line("data/a", "abc") + md5Line("data/b/c", "more")
		}, ""},
		{"SHA-512 alone, wrong", func(b aBag) {
			b.drop("manifest-sha256.txt")
			b["manifest-sha512.txt"] = fmt.Sprintf("%x data/a\n%x data/b/c\n", sha512.Sum512([]byte("abc")), sha512.Sum512([]byte("mere")))
		}, "data/b/c: FAILED"},
		{"MD5 is wrong", func(b aBag) { b["manifest-md5.txt"] = md5Line("data/a", "abd") + md5Line("data/b/c", "more") }, "data/a: FAILED"},
		{"MD5 lacks a file", func(b aBag) { b["manifest-md5.txt"] = md5Line("data/a", "abc") }, "data/b/c: manifest-md5.txt does not list the file"},
		{"SHA-256 lacks a file", func(b aBag) {
			b["manifest-sha256.txt"] = line("data/a", "abc")
			b["manifest-md5.txt"] = md5Line("data/a", "abc") + md5Line("data/b/c", "more")
		}, "data/b/c: manifest-sha256.txt does not list the file"},
		{"MD5 lacks a file, as it might", func(b aBag) { b["bagit.txt"], b["manifest-md5.txt"] = older, md5Line("data/a", "abc") }, ""},
		{"an unknown algorithm", func(b aBag) { b["manifest-blake3.txt"] = "" }, "not wholly checked: the algorithm blake3 is unknown"},
		{"an unknown algorithm of tags", func(b aBag) { b["tagmanifest-blake3.txt"] = "" }, "not wholly checked: the algorithm blake3 is unknown"},

		{"SHA3-256 and BLAKE2 beside it", func(b aBag) {
			for name, sum := range map[string]func(string) []byte{
				"sha3256":    func(s string) []byte { d := sha3.Sum256([]byte(s)); return d[:] },
				"sha3_512":   func(s string) []byte { d := sha3.Sum512([]byte(s)); return d[:] },
				"SHA3-384":   func(s string) []byte { d := sha3.Sum384([]byte(s)); return d[:] },
				"sha3224":    func(s string) []byte { d := sha3.Sum224([]byte(s)); return d[:] },
				"blake2b":    func(s string) []byte { d := blake2b.Sum512([]byte(s)); return d[:] },
				"blake2b512": func(s string) []byte { d := blake2b.Sum512([]byte(s)); return d[:] },
				"blake2b384": func(s string) []byte { d := blake2b.Sum384([]byte(s)); return d[:] },
				"blake2b256": func(s string) []byte { d := blake2b.Sum256([]byte(s)); return d[:] },
				"blake2s":    func(s string) []byte { d := blake2s.Sum256([]byte(s)); return d[:] },
				"blake2s256": func(s string) []byte { d := blake2s.Sum256([]byte(s)); return d[:] },
			} {
				b["manifest-"+name+".txt"] = fmt.Sprintf("%x data/a\n%x data/b/c\n", sum("abc"), sum("more"))
			}
		}, ""},
		{"SHA3-256 is wrong", func(b aBag) {
			b["manifest-sha3256.txt"] = fmt.Sprintf("%x data/a\n%x data/b/c\n", sha3.Sum256([]byte("abd")), sha3.Sum256([]byte("more")))
		}, "data/a: FAILED"},
		{"BLAKE2b is wrong, of a tag", func(b aBag) {
			b["tagmanifest-blake2b.txt"] = fmt.Sprintf("%x bagit.txt\n", blake2b.Sum512([]byte("x")))
		}, "bagit.txt: FAILED"},
		{"another size of BLAKE2b", func(b aBag) {
			b["manifest-blake2b.txt"] = fmt.Sprintf("%x data/a\n%x data/b/c\n", blake2b.Sum256([]byte("abc")), blake2b.Sum256([]byte("more")))
		}, "the digest has 64 characters; expected 128"},

		// Escapes. Before version 1.0 there are two, and many tools know no other, whatever they declare.
		{"a percent sign that is encoded", func(b aBag) { b.seal(); b.list("data/50%", "data/50%25") }, ""},
		{"a percent sign that is not", func(b aBag) { b.seal(); b.list("data/50%25", "data/50%25") }, ""},
		{"both names are there", func(b aBag) {
			b.seal()
			b.list("data/50%", "data/50%25")
			b["data/50%25"], b["bag-info.txt"] = "other", ""
		}, "data/50%25: UNLISTED"},
		{"neither name is there", func(b aBag) { b.seal(); b.list("data/50%", "data/50%25"); b.drop("data/50%") }, "data/50%: MISSING"},
		{"a line feed that is not encoded", func(b aBag) { b.seal(); b.list("data/50%0A", "data/50%0A") }, ""},
		{"a percent sign in an early bag", func(b aBag) { b["bagit.txt"] = older; b.seal(); b.list("data/50%25", "data/50%25") }, ""},
		{"a percent sign that is encoded in an early bag", func(b aBag) { b["bagit.txt"] = older; b.seal(); b.list("data/50%", "data/50%25") }, "data/50%: MOVED from data/50%25"},
		{"both names are there in an early bag", func(b aBag) {
			b["bagit.txt"] = older
			b.seal()
			b.list("data/50%25", "data/50%25")
			b.list("data/50%", "data/50%")
		}, ""},
		{"CR and LF in an early bag", func(b aBag) { b["bagit.txt"] = older; b.seal(); b.list("data/x\r\n", "data/x%0d%0A") }, ""},
		{"fetched, a percent sign", func(b aBag) {
			b.seal()
			b.list("data/50%", "data/50%25")
			b["fetch.txt"] = "https://example.org/a 1 data/50%25\n"
		}, ""},
		{"fetched, a percent sign that is not encoded", func(b aBag) {
			b.seal()
			b.list("data/50%25", "data/50%25")
			b["fetch.txt"] = "https://example.org/a 1 data/50%25\n"
		}, ""},
		{"fetched, a percent sign in an early bag", func(b aBag) {
			b["bagit.txt"] = older
			b.seal()
			b.list("data/50%25", "data/50%25")
			b["fetch.txt"] = "https://example.org/a 1 data/50%25\n"
		}, ""},
		{"fetched, another length behind a percent sign", func(b aBag) {
			b["bagit.txt"] = older
			b.seal()
			b.list("data/50%25", "data/50%25")
			b["fetch.txt"] = "https://example.org/a 2 data/50%25\n"
		}, "the length is 2; the file has 1 bytes"},

		// Tag manifests.
		{"tags", func(b aBag) {
			b.seal()
			manifest := b["manifest-sha256.txt"]
			b["tagmanifest-sha256.txt"] = line("bagit.txt", declared) + line("manifest-sha256.txt", manifest)
			b["tagmanifest-md5.txt"] = md5Line("bagit.txt", declared) + md5Line("manifest-sha256.txt", manifest)
		}, ""},
		{"tags without the manifest", func(b aBag) { b["tagmanifest-sha256.txt"] = line("bagit.txt", declared) }, "manifest-sha256.txt: tagmanifest-sha256.txt does not list the file"},
		{"tags without one of two manifests", func(b aBag) {
			b.seal()
			b["manifest-md5.txt"] = md5Line("data/a", "abc") + md5Line("data/b/c", "more")
			b["tagmanifest-sha256.txt"] = line("manifest-sha256.txt", b["manifest-sha256.txt"])
		}, "manifest-md5.txt: tagmanifest-sha256.txt does not list the file"},
		{"tags without the manifest, as they might", func(b aBag) { b["bagit.txt"], b["tagmanifest-sha256.txt"] = older, line("bagit.txt", older) }, ""},
		{"a wrong tag", func(b aBag) { b["tagmanifest-md5.txt"] = md5Line("bagit.txt", "x") }, "bagit.txt: FAILED"},
		{"a tag that is gone", func(b aBag) { b["tagmanifest-md5.txt"] = md5Line("gone.txt", "x") }, "gone.txt: FAILED open or read"},
		{"payload among the tags", func(b aBag) { b["tagmanifest-sha256.txt"] = line("data/a", "abc") }, "a tag manifest lists a payload file"},
		{"itself among the tags", func(b aBag) {
			b["tagmanifest-sha256.txt"] = line("tagmanifest-md5.txt", "")
			b["tagmanifest-md5.txt"] = ""
		}, "a tag manifest lists a tag manifest"},
		{"a tag twice", func(b aBag) { b["tagmanifest-sha256.txt"] = line("bagit.txt", declared) + line("bagit.txt", declared) }, "1 file is listed more than once"},
		{"a dash among the tags", func(b aBag) {
			b.seal()
			b["-"] = "x"
			b["tagmanifest-sha256.txt"] = line("-", "x") + line("manifest-sha256.txt", b["manifest-sha256.txt"])
		}, ""},

		// What is elsewhere.
		{"fetched", func(b aBag) { b["fetch.txt"] = "https://example.org/a 3 data/a\nhttps://example.org/c\t-\tdata/b/c\n" }, ""},
		{"fetched, in one manifest of an older bag", func(b aBag) {
			b["bagit.txt"], b["manifest-md5.txt"] = older, md5Line("data/a", "abc")
			b["fetch.txt"] = "https://example.org/c - data/b/c\n"
		}, ""},
		{"not fetched", func(b aBag) { b.seal(); b["fetch.txt"] = "https://example.org/a 3 data/a\n"; delete(b, "data/a") }, "data/a: MISSING"},
		{"to be fetched, not listed", func(b aBag) { b["fetch.txt"] = "https://example.org/x 3 data/x\n" }, "manifest-sha256.txt does not list the file"},
		{"to be fetched, not listed in an older bag", func(b aBag) {
			b["bagit.txt"] = older
			b["fetch.txt"] = "https://example.org/x 3 data/x\n"
		}, "manifest-sha256.txt does not list the file"},
		{"to be fetched, out of the bag", func(b aBag) { b["fetch.txt"] = "https://example.org/x 3 ../x\n" }, "the name leads out of the bag"},
		{"to be fetched, home", func(b aBag) { b["fetch.txt"] = "https://example.org/x 3 ~/x\n" }, "fetch.txt: 1: the name leads out of the bag"},
		{"to be fetched, home, in an early bag", func(b aBag) {
			b["bagit.txt"], b["fetch.txt"] = older, "https://example.org/x 3 ~/x\n"
		}, "fetch.txt: 1: the name leads out of the bag"},
		{"to be fetched, somebody's home", func(b aBag) {
			b["bagit.txt"], b["fetch.txt"] = older, "https://example.org/x 3 ~root/x\n"
		}, "the name leads out of the bag"},
		{"to be fetched, home itself", func(b aBag) { b["bagit.txt"], b["fetch.txt"] = older, "https://example.org/x 3 ~\n" }, "the name leads out of the bag"},
		{"to be fetched, no home", func(b aBag) {
			b["bagit.txt"], b["fetch.txt"] = older, "https://example.org/x 3 ~x\nhttps://example.org/x 3 x/~/y\n"
		}, ""},
		{"home among the tags", func(b aBag) {
			b["~/x"], b["tagmanifest-sha256.txt"] = "x", line("~/x", "x")
		}, "the name leads out of the bag"},
		{"a tilde", func(b aBag) {
			b.seal()
			b["~x"], b["tagmanifest-sha256.txt"] = "x", line("~x", "x")+line("manifest-sha256.txt", b["manifest-sha256.txt"])
		}, ""},
		{"a tilde in the payload", func(b aBag) { b.seal(); b.list("data/~/x", "data/~/x") }, ""},
		{"to be fetched, no payload", func(b aBag) { b["fetch.txt"] = "https://example.org/x 3 bagit.txt\n" }, "the name is not of the payload"},
		{"to be fetched, no length", func(b aBag) { b["fetch.txt"] = "https://example.org/a data/a\n" }, "expected 'URL LENGTH NAME'"},
		{"to be fetched, a negative length", func(b aBag) { b["fetch.txt"] = "https://example.org/a -3 data/a\n" }, "the length is negative"},
		{"to be fetched, another length", func(b aBag) { b["fetch.txt"] = "https://example.org/a 4 data/a\n" }, "the length is 4; the file has 3 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBag()
			test.change(b)
			b.seal()
			for name, contents := range b {
				if contents == dropped {
					delete(b, name)
				}
			}
			stdout, stderr, status := runTool(t, "--bag="+b.write(t))
			said := stdout + stderr
			switch {
			case test.wrong == "" && (status != 0 || stderr != ""):
				t.Errorf("status %d:\n%s", status, said)
			case test.wrong != "" && (status != 1 || !strings.Contains(said, test.wrong)):
				t.Errorf("status %d, without %q:\n%s", status, test.wrong, said)
			}
		})
	}
}

const dropped = "\x00dropped"

// list adds a file of one byte to the payload, and a line with a name to its manifest.
func (b aBag) list(file, name string) {
	b[file], b["bag-info.txt"] = "x", ""
	b["manifest-sha256.txt"] += line(name, "x")
}

// drop takes a file away once the bag is sealed.
func (b aBag) drop(name string) { b[name] = dropped }

// What early versions did not forbid is no fault of a bag.
func TestWarningsOfBags(t *testing.T) {
	for _, test := range []struct {
		name, version string
		change        func(b aBag)
		status        int
		warning, said string
	}{
		{"a file twice", "0.97", func(b aBag) { b["manifest-sha256.txt"] += line("data/a", "abc") }, 0,
			"WARNING: bag/manifest-sha256.txt: 1 file is listed more than once", ""},
		{"a file twice, in another form", "0.97", func(b aBag) {
			b["manifest-sha256.txt"] += strings.ToUpper(line("", "abc")[:64]) + " ./data/a\n"
		}, 0, "1 file is listed more than once", ""},
		{"two files twice", "0.93", func(b aBag) { b["manifest-sha256.txt"] += b["manifest-sha256.txt"] }, 0, "2 files are listed more than once", ""},
		{"a tag twice", "0.97", func(b aBag) {
			b["tagmanifest-sha256.txt"] = line("bag-info.txt", b["bag-info.txt"]) + line("bag-info.txt", b["bag-info.txt"])
		}, 0, "WARNING: bag/tagmanifest-sha256.txt: 1 file is listed more than once", ""},
		{"a file twice, with two digests", "0.97", func(b aBag) { b["manifest-sha256.txt"] += line("data/a", "abd") }, 1,
			"1 file is listed more than once", "data/a: FAILED"},
		{"a file twice in a bag of today", "1.0", func(b aBag) { b["manifest-sha256.txt"] += line("data/a", "abc") }, 1,
			"bag/manifest-sha256.txt: 1 file is listed more than once", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBag()
			b["bagit.txt"] = strings.Replace(b["bagit.txt"], "1.0", test.version, 1)
			b.seal()
			test.change(b)
			t.Chdir(filepath.Dir(b.write(t)))
			stdout, stderr, status := runTool(t, "--bag=bag")
			if status != test.status || !strings.Contains(stderr, test.warning) || !strings.Contains(stdout, test.said) {
				t.Errorf("status %d, want %d:\n%s%s", status, test.status, stdout, stderr)
			}
			if (test.version == "1.0") == strings.Contains(stderr, "WARNING: bag") {
				t.Errorf("a warning and an error are mixed up: %s", stderr)
			}
		})
	}
}

// With --fast a bag is complete, and its payload has its size. Nothing is read.
func TestFastBags(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(b aBag)
		wrong  string
	}{
		{"as it is", func(b aBag) {}, ""},
		{"another contents", func(b aBag) { b["data/a"] = "abd" }, ""},
		{"no size", func(b aBag) { delete(b, "bag-info.txt") }, ""},
		{"another size", func(b aBag) { b["data/a"] = "abcd" }, "Payload-Oxum is 7.2; the payload has 8.2"},
		{"a file that is gone", func(b aBag) { delete(b, "data/a"); delete(b, "bag-info.txt") }, "data/a: MISSING"},
		{"a file that is not listed", func(b aBag) { b["data/z"] = "abc"; delete(b, "bag-info.txt") }, "data/z: UNLISTED"},
		{"a file that was moved", func(b aBag) { b["data/z"] = b["data/a"]; delete(b, "data/a") }, "data/z: UNLISTED"},
		{"a tag that is gone", func(b aBag) { b["tagmanifest-md5.txt"] = fmt.Sprintf("%x gone.txt\n", md5.Sum(nil)) }, "gone.txt: FAILED open or read"},
		{"a line that is none", func(b aBag) { b["manifest-sha256.txt"] += "nonsense\n" }, "manifest-sha256.txt: 3: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBag()
			b.seal()
			test.change(b)
			dir := b.write(t)
			stdout, stderr, status := runTool(t, "--fast", "--bag="+dir)
			said := stdout + stderr
			if (status == 0) != (test.wrong == "") || !strings.Contains(said, test.wrong) || strings.Contains(said, ": OK") {
				t.Errorf("status %d, without %q:\n%s", status, test.wrong, said)
			}
			if !strings.Contains(stdout, "data/b/c: PRESENT\n") {
				t.Errorf("what is there is not said to be:\n%s", said)
			}
			stdout, _, status2 := runTool(t, "--fast", "--json", "--bag="+dir)
			if status2 != status || strings.Contains(stdout, `"digest"`) ||
				!strings.Contains(stdout, fmt.Sprintf(`{"name":"data/b/c","size":4,"expected":"%x","ok":true,"status":"present"}`, sha256.Sum256([]byte("more")))) {
				t.Errorf("status %d, JSON:\n%s", status2, stdout)
			}
			if quiet, _, _ := runTool(t, "--fast", "--quiet", "--bag="+dir); strings.Contains(quiet, "PRESENT") {
				t.Errorf("with --quiet:\n%s", quiet)
			}
		})
	}
	if _, err := parseOptions([]string{"--fast", "x"}); err == nil {
		t.Error("--fast without --bag")
	}
}

// A file has its size, whatever it was hashed with.
func TestSizeInJSON(t *testing.T) {
	b := newBag()
	b["manifest-md5.txt"] = fmt.Sprintf("%x data/b/c\n", md5.Sum([]byte("more")))
	b["bagit.txt"] = strings.Replace(b["bagit.txt"], "1.0", "0.97", 1)
	b.seal()
	stdout, _, status := runTool(t, "--json", "--bag="+b.write(t))
	want := fmt.Sprintf(`{"name":"data/b/c","digest":"%x","size":4,`, md5.Sum([]byte("more")))
	if status != 0 || !strings.Contains(stdout, want) {
		t.Errorf("status %d, without %s:\n%s", status, want, stdout)
	}
}

// Options that would leave something out have no meaning for a bag.
func TestBagsAreCheckedWhole(t *testing.T) {
	for _, arg := range []string{"--ignore-missing", "--exclude=a", "--include=a", "--links=follow", "--one-file-system", "-z", "-r", "--base=x"} {
		if _, err := parseOptions([]string{"--bag=x", arg}); err == nil {
			t.Errorf("--bag and %s together", arg)
		}
	}
}
