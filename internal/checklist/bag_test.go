package checklist_test

import (
	"testing"

	"github.com/sha256-simd/sha256-simd/internal/checklist"
)

// A declaration has two lines, whatever ends them. Until version 1.0, %25 in a manifest is no
// escape.
func TestParseDeclaration(t *testing.T) {
	for _, test := range []struct {
		text, version, encoding string // "": not a declaration
		format                  checklist.Format
	}{
		{"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n", "1.0", "UTF-8", checklist.BagIt},
		{"BagIt-Version: 0.97\r\nTag-File-Character-Encoding: ISO-8859-1", "0.97", "ISO-8859-1", checklist.EarlyBagIt},
		{"BagIt-Version: 0.93\rTag-File-Character-Encoding: UTF-8\r", "0.93", "UTF-8", checklist.EarlyBagIt},
		{"BagIt-Version: 2.0\nTag-File-Character-Encoding: UTF-8\n", "2.0", "UTF-8", checklist.BagIt},
		{"BagIt-Version: 0.97\n", "", "", checklist.BagIt},
		{"BagIt-Version: 0.97\nmore\n", "", "", checklist.BagIt},
		{"BagIt-Version: x\nTag-File-Character-Encoding: UTF-8\n", "", "", checklist.BagIt},
		{"BagIt-Version: 0.97\nTag-File-Character-Encoding: UTF-8\n\n", "", "", checklist.BagIt},
		{"", "", "", checklist.BagIt},
	} {
		version, encoding, err := checklist.ParseDeclaration(test.text)
		if version != test.version || encoding != test.encoding || (err != nil) != (test.version == "") || checklist.BagFormat(version) != test.format {
			t.Errorf("%q: got %q, %q, %v", test.text, version, encoding, err)
		}
	}
}

func TestLeadsOut(t *testing.T) {
	for name, out := range map[string]bool{
		"data/a": false, "a": false, "data/../a": false, "./a": false, "a/~": false, "~a": false,
		"..": true, "../a": true, "data/../../a": true, "/a": true, "~": true, "~/a": true, "~user/a": true, "": true,
	} {
		if checklist.LeadsOut(name) != out {
			t.Errorf("%q leads out: %v", name, !out)
		}
	}
}
