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
		{line: `{"name":"\ufffd","name_bytes":"/w==","digest":"` + abc + `","size":3}`, name: "\xff"},
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
		// With --check: the file has not the digest that its list has.
		{line: `{"name":"abc","digest":"` + abc + `","size":3,"expected":"` + strings.Repeat("0", 64) + `","ok":false,"status":"failed"}`},
		{line: `{"name":"abc","digest":"` + abc + `","size":3,"ok":false,"status":"unlisted"}`},
		{line: `{"list":"abc","line":1,"error":"improperly formatted SHA256 checksum line"}`},
		{line: `{"summary":{"list":"abc"}}`},
	} {
		name, digest, err := Parse(test.line)
		if test.name == "" && err == nil || test.name != "" && err != nil || name != test.name || (digest == nil) != (test.unread || err != nil) {
			t.Errorf("%s: name %q, digest %x, error %v", test.line, name, digest, err)
		}
	}
}
