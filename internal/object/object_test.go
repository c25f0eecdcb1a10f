package object

import (
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	abc := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	for _, test := range []struct {
		line, name string // "": no object of a file
		unread     bool
	}{
		{line: `{"name":"abc","digest":"` + abc + `","size":3}`, name: "abc"},
		{line: `{"name":"a\nb","digest":"` + abc + `","size":3}` + "\r", name: "a\nb"},
		{line: `{"name":"` + "\ufffd" + `","name_bytes":"/w==","digest":"` + abc + `","size":3}`, name: "\xff"},
		{line: `{"name":"<&>\u2028\u0001\b\"\\é` + "\ufffd\x7f" + `","digest":"` + abc + `","size":3}`, name: "<&>\u2028\x01\b\"\\é\ufffd\x7f"},
		{line: `{"name":"abc","digest":"` + abc + `","size":3,"composite":"T4tCwi3TcptRm6b2jS2nzFstYG0F2u1a1RKMwD5sY1g=-1","part_size":1024}`, name: "abc"},
		{line: `{"name":"abc","error":"No such file or directory"}`, name: "abc", unread: true},

		{line: `{}`},
		{line: `{"digest":"` + abc + `"}`},
		{line: `{"name":"","digest":"` + abc + `"}`},
		{line: `{"name":"a\u0000b","digest":"` + abc + `"}`},
		{line: `{"name":"abc"}`},
		{line: `{"name":"abc","digest":""}`},
		{line: `{"name":"abc","digest":"` + abc[1:] + `"}`},
		{line: `{"name":"abc","digest":"` + abc + `00"}`},
		{line: `{"name":"abc","digest":"` + abc[1:] + `x"}`},
		{line: `{"name":"abc","digest":"` + abc + `","error":"changed"}`},
		{line: `{"name":"` + "\xff" + `","digest":"` + abc + `"}`},
		{line: `{"name":"abc","name_bytes":"?","digest":"` + abc + `"}`},
		{line: `{"name":"abc","digest":"` + abc + `"}{`},
		{line: `{"name":"abc","digest":"` + abc + `"} x`},
		{line: `{"name":"abc","digest":"` + abc + `"`},
		{line: ` {"name":"abc","digest":"` + abc + `"}`},
		{line: `["name","abc"]`},
		{line: `null`},
		{line: ``},
		{line: `{"name":"abc","digest":"` + strings.ToUpper(abc) + `"}`},
		// Another decoder may see another name.
		{line: `{"name":"evil","NAME":"good","digest":"` + abc + `"}`},
		{line: `{"Name":"good","digest":"` + abc + `"}`},
		{line: `{"name":"good","digest":"` + abc + `","from_bytes":"/w=="}`},
		{line: `{"name":"evil","name":"good","digest":"` + abc + `"}`},
		{line: `{"name":"good","digest":"` + abc + `","digest":"` + abc + `"}`},
		{line: `{"name":"good","digest":"` + abc + `","more":1}`},
		{line: `{"digest":"` + abc + `","name":"good"}`},
		{line: `{"name":"evil","name_bytes":"Z29vZA==","digest":"` + abc + `"}`},
		{line: `{"name":"good","name_bytes":"Z29vZA==","digest":"` + abc + `"}`},
		{line: `{"name":"good","name_bytes":"","digest":"` + abc + `"}`},
		{line: `{"name":"evil","name_bytes":"/w==","digest":"` + abc + `"}`},
		{line: `{"name":"\ufffd","name_bytes":"/w==","digest":"` + abc + `"}`},
		{line: `{"name":"` + "\ufffd\ufffd" + `","name_bytes":"/w==","digest":"` + abc + `"}`},
		{line: `{"name":"\ud800","digest":"` + abc + `"}`},
		{line: `{"name":"\ufffd","digest":"` + abc + `"}`},
		{line: `{"name":"\u0061bc","digest":"` + abc + `"}`},
		{line: `{"name":"abc" ,"digest":"` + abc + `"}`},
		// With --check: the file has not the digest that its list has.
		{line: `{"name":"abc","digest":"` + abc + `","size":3,"expected":"` + strings.Repeat("0", 64) + `","ok":false,"status":"failed"}`},
		{line: `{"name":"abc","digest":"` + abc + `","size":3,"ok":false,"status":"unlisted"}`},
		{line: `{"list":"abc","line":1,"error":"improperly formatted SHA256 checksum line"}`},
		{line: `{"summary":{"list":"abc"}}`},
	} {
		f, digest, err := Parse(test.line)
		if test.name == "" && err == nil || test.name != "" && err != nil || f.Name != test.name || (digest == nil) != (test.unread || err != nil) {
			t.Errorf("%s: name %q, digest %x, error %v", test.line, f.Name, digest, err)
		}
	}
}

// Whatever bytes a name has, the line that is printed for it is read.
func TestParseReadsWhatAppendWrites(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	for _, around := range []string{"%", "x%y", "é%\xff", "\xe2\x82%", `\ufffd%\` + "\xff", `\%\`} {
		for b := 1; b < 256; b++ {
			want := strings.Replace(around, "%", string([]byte{byte(b)}), 1)
			size := int64(b)
			line := string(Append(nil, File{Name: want, NameBytes: Lossless(want), Digest: digest, Size: &size}))
			if f, _, err := Parse(strings.TrimSuffix(line, "\n")); err != nil || f.Name != want || *f.Size != size {
				t.Errorf("%s: %+v, error %v; want %q", line, f, err, want)
			}
		}
	}
}

// Errors tell what another tool wrote from what sha256sum did, but not so.
func TestParseErrors(t *testing.T) {
	const zeros = "0000000000000000000000000000000000000000000000000000000000000000"
	for line, want := range map[string]error{
		`{"name":"a","digest":"` + zeros + `","ok":true,"status":"ok"}`:               errCheck,
		`{"name":"a","expected":"` + zeros + `","status":"failed","error":"missing"}`: errCheck,
		`{"name":"a", "digest":"` + zeros + `"}`:                                      errChanged,
		`{"name":"a","digest":"` + zeros[1:] + `"}`:                                   errChanged,
		`{"name":"a","expected":"` + zeros + `","outcome":"match"}`:                   ErrNoFile,
		`{"name":"a","sha-256":"` + zeros + `"}`:                                      ErrNoFile,
		`{"name":`:                                                                    ErrNoFile,
	} {
		if _, _, err := Parse(line); err != want {
			t.Errorf("%s: got %v, want %v", line, err, want)
		}
	}
}
