package list

import (
	"bytes"
	"cmp"
	"errors"
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
	digest       = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	digestBase64 = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="
	composite    = digestBase64 + "-3"

	// Others of the same four bytes, "test".
	md5Hex     = "098f6bcd4621d373cade4e832627b4f6"
	md5Base64  = "CY9rzUYh03PK3k6DJie09g=="
	sha1Hex    = "a94a8fe5ccb19ba61c4c0873d391e987982fbbd3"
	sha1Base64 = "qUqP5cyxm6YcTAhz05Hph5gvu9M="
	sha512Hex  = "ee26b0dd4af7e749aa1a8ee3c10ae9923f618980772e473f8819a5d4940e0db27ac185f8a0e1d5f84f88bc887fd67b143732c304cc5fa9ad8e6f57f50028a8ff"
)

func read(t *testing.T, f Format, text string) []Entry {
	t.Helper()
	var all []Entry
	for r := NewReader(strings.NewReader(text), f, nil); ; {
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
		want                       Entry // Line is 1, Size -1, if it is 0
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
		{name: "a version", line: digest + "  s3://b/k?versionId=v", want: Entry{Name: "s3://b/k", Version: "v", SHA256: digest}},
		{name: "a version and a base", format: "names", base: "s3://b", line: "s3://c/k?versionId=v", want: Entry{Name: "s3://c/k", Version: "v"}},
		{name: "no version below a base", format: "names", base: "s3://b", line: "k?versionId=v", want: Entry{Name: "s3://b/k?versionId=v"}},
		{name: "no version below a base, with a digest", base: "s3://b", line: digest + "  k?versionId=v", want: Entry{Name: "s3://b/k?versionId=v", SHA256: digest}},
		{name: "composite of a version", line: composite + "  s3://b/k?versionId=v", want: Entry{Name: "s3://b/k", Version: "v", SHA256: composite}},
		{name: "a key that ends like a version", format: "names", line: "s3://b/k?versionId=v?versionId=", want: Entry{Name: "s3://b/k?versionId=v"}},
		{name: "files have no versions", format: "names", line: "k?versionId=v", want: Entry{Name: "k?versionId=v"}},
		{name: "files have no versions, as a URL", format: "names", line: "file:///k?versionId=v", want: Entry{Name: "file:///k?versionId=v"}},
		{name: "JSON has names as they are", line: `{"name":"s3://b/k?versionId=v"}`, want: Entry{Name: "s3://b/k?versionId=v"}},
		{name: "inventories have keys as they are", format: "inventory", line: `"b","k?versionId=v"`, want: Entry{Name: "s3://b/k?versionId=v"}},
		{name: "base", base: "s3://b/x/", line: digest + "  a", want: Entry{Name: "s3://b/x/a", SHA256: digest}},
		{name: "base and an absolute path", base: "s3://b/x/", line: digest + "  /a", want: Entry{Name: "/a", SHA256: digest}},
		{name: "names below a URL that is escaped are literal", format: "names", base: "file:///d%20", line: "x%41?#", want: Entry{Name: "file:///d%20/x%2541%3F%23"}},
		{name: "base and a URL", base: "x", line: digest + "  gs://c/a", want: Entry{Name: "gs://c/a", SHA256: digest}},
		{name: "BagIt", format: "bagit", base: "bag", line: digest + " \t data/a%0Ab%25", want: Entry{Name: "bag/data/a\nb%", SHA256: digest}},
		{name: "BagIt, other escapes", format: "bagit", line: digest + "  data/a%20b", want: Entry{Name: "data/a%20b", SHA256: digest}},
		{name: "JSON", line: `{"name":"a","size":7,"sha256":"` + digest + `","modified":"2026-01-02T03:04:05Z"}`,
			want: Entry{Name: "a", Size: 7, SHA256: digest, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		{name: "JSON, not UTF-8", line: `{"name":"?","name_bytes":"/w=="}`, want: Entry{Name: "\xff"}},
		{name: "JSON, a mismatch of a worker", line: `{"line":1,"name":"a","outcome":"mismatch","sha256":"` + strings.Repeat("0", 64) + `","expected":"` + digest + `"}`,
			want: Entry{Name: "a", SHA256: digest}},
		{name: "JSON, cut", line: `{"name":`, want: Entry{Malformed: "not JSON of fleetsum or sha256sum: unexpected end of JSON input"}},
		{name: "JSON without a name", line: `{"size":1}`, want: Entry{Malformed: "no name"}},
		{name: "JSON, two values", line: `{"name":"a"}{"sha256":"` + digest + `"}`, want: Entry{Malformed: "not JSON of fleetsum or sha256sum: invalid character '{' after top-level value"}},
		{name: "JSON, an unknown key", line: `{"name":"a","sha-256":"` + digest + `"}`, want: Entry{Malformed: `not JSON of fleetsum or sha256sum: unknown key "sha-256"`}},
		{name: "JSON, a key in capitals", line: `{"name":"a","sha256":"` + strings.Repeat("0", 64) + `","SHA256":"` + digest + `"}`, want: Entry{Malformed: `not JSON of fleetsum or sha256sum: unknown key "SHA256"`}},
		{name: "JSON, a key twice", line: `{"name":"a","sha256":"` + strings.Repeat("0", 64) + `", "sha256" : "` + digest + `"}`, want: Entry{Malformed: `not JSON of fleetsum or sha256sum: the key "sha256" twice`}},
		{name: "JSON, keys in values", line: `{"name":"\\\"\":x","etag":"\"name\":\\", "size" : 3}`, want: Entry{Name: `\"":x`, ETag: `"name":\`, Size: 3}},
		{name: "JSON, all keys of a worker", line: `{"line":1,"name":"a","outcome":"unreadable","sha256":"","expected":"` + digest + `","size":-1,"error":"why","name_bytes":"YQ==","version":"v","part_size":8,"computed":"x","etag":"e","modified":"2026-01-02T03:04:05Z","expected_size":9,"retry":true}`,
			want: Entry{Name: "a", Version: "v", SHA256: digest, Size: 9, PartSize: 8, ETag: "e", Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}},
		{name: "JSON of sha256sum", line: `{"name":"a","digest":"` + digest + `","size":4}`, want: Entry{Name: "a", SHA256: digest, Size: 4}},
		{name: "JSON of sha256sum, by name", format: "json", base: "s3://b", line: `{"name":"a","digest":"` + digest + `"}`, want: Entry{Name: "s3://b/a", SHA256: digest}},
		{name: "JSON of sha256sum, not UTF-8", line: `{"name":"` + "\ufffd" + `","name_bytes":"/w==","digest":"` + digest + `"}`, want: Entry{Name: "\xff", SHA256: digest}},
		{name: "JSON of sha256sum, composite", line: `{"name":"a","digest":"` + digest + `","size":4,"composite":"` + composite + `","part_size":2}`, want: Entry{Name: "a", SHA256: digest, Size: 4}},
		{name: "JSON of sha256sum, not read", line: `{"name":"a","error":"No such file or directory"}`, want: Entry{Name: "a", Malformed: `sha256sum could not read "a": No such file or directory`}},
		{name: "JSON of sha256sum --check", line: `{"name":"a","digest":"` + digest + `","size":4,"expected":"` + digest + `","ok":true,"status":"ok"}`,
			want: Entry{Malformed: "the line is of sha256sum --check --json: its digest is that of the file, which may be another one than the list's"}},
		{name: "JSON of sha256sum, with blanks", line: `{"name": "a", "digest": "` + digest + `", "size": 4}`,
			want: Entry{Malformed: "the line is not byte for byte as sha256sum --json writes it"}},
		{name: "JSON of sha256sum, half a digest", line: `{"name":"a","digest":"` + digest[:32] + `"}`,
			want: Entry{Malformed: "the line is not byte for byte as sha256sum --json writes it"}},
		{name: "too long", line: strings.Repeat("x", maxLine+1), want: Entry{Malformed: "longer than 65536 bytes"}},
		{name: "NUL", format: "names", line: "a\x00", want: Entry{Name: "a\x00", Malformed: "a NUL in the name"}},
		{name: "NUL, where coreutils ends a name", line: digest + "  a\x00\x00b", want: Entry{Malformed: "a NUL in a line that ends with newline"}},
		{name: "OpenSSL", line: "SHA2-256(a)= " + digest, want: Entry{Name: "a", SHA256: digest}},
		{name: "reversed", line: digest + " a", want: Entry{Name: "a", SHA256: digest}},
		{name: "composite with escapes", line: `\` + composite + `  a\nb`, want: Entry{Name: "a\nb", SHA256: composite}},
		{name: "composite of no parts", line: strings.TrimSuffix(composite, "3") + "0  a", want: Entry{Malformed: "the digest has 46 characters; expected 64 hexadecimal digits"}},
		{name: "rclone", format: "rclone", base: "s3://b", line: `{"Path":"d/a","Name":"a","Size":7,"MimeType":"x","ModTime":"2026-01-02T03:04:05.5Z","IsDir":false,"Hashes":{"crc32":"d87f7e0c","md5":"` + md5Hex + `","quickxor":"x","sha256":"` + digest + `"}},`,
			want: Entry{Name: "s3://b/d/a", Size: 7, SHA256: digest, Checksums: "md5:" + md5Hex + " crc32:d87f7e0c", Modified: time.Date(2026, 1, 2, 3, 4, 5, 5e8, time.UTC)}},
		{name: "rclone, older names", format: "rclone", line: `{"Path":"a","Size":7,"Hashes":{"MD5":"` + md5Hex + `","QuickXorHash":"x","SHA-256":"` + digest + `"}}`,
			want: Entry{Name: "a", Size: 7, SHA256: digest, Checksums: "md5:" + md5Hex}},
		{name: "rclone, a hash twice", format: "rclone", line: `{"Path":"a","Size":7,"Hashes":{"MD5":"` + md5Hex + `","md5":"` + md5Hex + `","SHA256":""}}`,
			want: Entry{Name: "a", Size: 7, Checksums: "md5:" + md5Hex}},
		{name: "rclone, two hashes", format: "rclone", line: `{"Path":"a","Hashes":{"SHA1":"x","SHA-1":"y"}}`, want: Entry{Name: "a", Malformed: "two hashes of sha1"}},
		{name: "rclone, size not known", format: "rclone", line: `{"Path":"a","Size":-1}`, want: Entry{Name: "a"}},
		{name: "rclone, a directory in the name", format: "rclone", line: `{"Path":"\"IsDir\":true","Size":-1}`, want: Entry{Name: `"IsDir":true`}},
		{name: "rclone, cut", format: "rclone", line: `{"Path":`, want: Entry{Malformed: "not a line of rclone lsjson: unexpected end of JSON input"}},
		{name: "JSON, size of a mismatch", line: `{"name":"a","outcome":"mismatch","size":7,"sha256":"` + digest + `"}`, want: Entry{Name: "a"}},
		{name: "JSON, a mismatch of the size", line: `{"name":"a","outcome":"mismatch","size":7,"sha256":"` + digest + `","expected":"","expected_size":9}`, want: Entry{Name: "a", Size: 9}},
		{name: "JSON, archived", line: `{"name":"a","outcome":"archived","size":-1,"sha256":"","expected":"","expected_size":9}`, want: Entry{Name: "a", Size: 9}},
		{name: "JSON, new", line: `{"name":"a","outcome":"new","size":7,"sha256":"` + digest + `","expected":""}`, want: Entry{Name: "a", Size: 7, SHA256: digest}},
		{name: "JSON, a delete marker", line: `{"name":"s3://b/k","version":"v","outcome":"deleted","sha256":"","expected":"","size":-1,"error":""}`,
			want: Entry{Name: "s3://b/k", Version: "v", Deleted: true}},
		{name: "JSON, deleted since", line: `{"name":"s3://b/k","outcome":"deleted","sha256":"","expected":"` + digest + `","size":-1,"error":"NoSuchKey"}`,
			want: Entry{Name: "s3://b/k", SHA256: digest}},
		{name: "JSON, base64", line: `{"name":"a","sha256":"` + digestBase64 + `"}`, want: Entry{Name: "a", SHA256: digest}},
		{name: "JSON, upper case", line: `{"name":"a","sha256":"` + strings.ToUpper(digest) + `"}`, want: Entry{Name: "a", SHA256: digest}},
		{name: "JSON, base64 of a match", line: `{"name":"a","outcome":"match","sha256":"` + digestBase64 + `","expected":"` + digest + `"}`, want: Entry{Name: "a", SHA256: digest}},
		{name: "JSON, size of a match", line: `{"name":"a","outcome":"match","size":7,"sha256":"` + digest + `"}`, want: Entry{Name: "a", Size: 7, SHA256: digest}},
		{name: "JSON, another digest", line: `{"name":"a","sha256":"` + digest[:40] + `"}`,
			want: Entry{Name: "a", Malformed: `not a SHA-256 digest: "` + digest[:40] + `": the digest has 40 characters; expected 64 hexadecimal digits`}},
		{name: "JSON, another expected digest", line: `{"name":"a","outcome":"missing","expected":"` + digest[:40] + `"}`,
			want: Entry{Name: "a", Malformed: `not a SHA-256 digest: "` + digest[:40] + `": the digest has 40 characters; expected 64 hexadecimal digits`}},
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
			line: `"b","k","v","true","true"`, want: Entry{Name: "s3://b/k", Version: "v", Deleted: true}},
		{name: "inventory, an earlier version without an ID", format: "inventory", schema: "Bucket, Key, VersionId, IsLatest, IsDeleteMarker",
			line: `"b","k","","false","false"`, want: Entry{Name: "s3://b/k", Version: "null"}},
		{name: "inventory, an earlier version called null", format: "inventory", schema: "Bucket, Key, VersionId, IsLatest",
			line: `"b","k","null","False"`, want: Entry{Name: "s3://b/k", Version: "null"}},
		{name: "inventory, the latest version without an ID", format: "inventory", schema: "Bucket, Key, VersionId, IsLatest, IsDeleteMarker",
			line: `"b","k","","true","false"`, want: Entry{Name: "s3://b/k"}},
		{name: "inventory without a schema", format: "inventory", line: `"b","k","5","x"`, want: Entry{Malformed: "4 columns, and no schema says what they are"}},
		{name: "inventory, other columns", format: "inventory", schema: "Bucket, Key", line: `"b"`, want: Entry{Malformed: "1 columns, not the 2 of the schema"}},
		{name: "inventory, more columns", format: "inventory", schema: "Bucket, Key", line: `"b","k","v"`, want: Entry{Malformed: "3 columns, not the 2 of the schema"}},
		{name: "batch, full object", format: "batch", line: batch("succeeded", `{"checksum_base64":"x","etag":"e","checksumAlgorithm":"SHA256","checksumType":"FULL_OBJECT","checksum_hex":"`+strings.ToUpper(digest)+`"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", SHA256: digest}},
		{name: "batch, composite", format: "batch", line: batch("succeeded", `{"checksum_base64":"`+composite+`","checksumAlgorithm":"SHA256","checksumType":"COMPOSITE"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", SHA256: composite}},
		{name: "batch, CRC64NVME", format: "batch", line: batch("succeeded", `{"checksum_base64":"rosUhgp5mIg=","checksumAlgorithm":"CRC64NVME","checksumType":"FULL_OBJECT","checksum_hex":"AE8B14860A799888"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", Checksums: "crc64nvme:ae8b14860a799888"}},
		{name: "batch, composite SHA-1", format: "batch", line: batch("succeeded", `{"checksum_base64":"`+sha1Base64+`-3","checksumAlgorithm":"SHA1","checksumType":"COMPOSITE","checksum_hex":"x"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", Checksums: "sha1:" + sha1Base64 + "-3"}},
		{name: "batch, no parts", format: "batch", line: batch("succeeded", `{"checksum_base64":"`+sha1Base64+`","checksumAlgorithm":"SHA1","checksumType":"COMPOSITE"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", Malformed: `no checksum of the type COMPOSITE: "` + sha1Base64 + `"`}},
		{name: "batch, an unknown algorithm", format: "batch", line: batch("succeeded", `{"checksumAlgorithm":"XXHASH64","checksumType":"FULL_OBJECT","checksum_hex":"00"}`),
			want: Entry{Name: "s3://b/k", Version: "v1", Malformed: `a checksum of the unknown algorithm "XXHASH64"`}},
		{name: "batch, failed", format: "batch", line: batch("failed", `Access denied`),
			want: Entry{Name: "s3://b/k", Version: "v1", Malformed: "S3 has no checksum: the task failed: Access denied"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NewFormat(tt.format, tt.schema, tt.base)
			if err != nil {
				t.Fatal(err)
			}
			if tt.want.Line == 0 {
				tt.want.Line = 1
			}
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

// Digests other than SHA-256 say by a prefix, a word or their length what they are.
func TestOtherDigests(t *testing.T) {
	for _, tt := range []struct {
		name, format, schema, line string
		sha256, checksums          string
		malformed                  string
	}{
		{name: "md5sum", line: md5Hex + "  a", checksums: "md5:" + md5Hex},
		{name: "md5sum, upper case", line: strings.ToUpper(md5Hex) + " *a", checksums: "md5:" + md5Hex},
		{name: "md5sum by name", format: "coreutils", line: md5Hex + "  a", checksums: "md5:" + md5Hex},
		{name: "sha1sum", line: sha1Hex + "  a", checksums: "sha1:" + sha1Hex},
		{name: "sha512sum", line: sha512Hex + "  a", checksums: "sha512:" + sha512Hex},
		{name: "base64", line: md5Base64 + "  a", checksums: "md5:" + md5Hex},
		{name: "a prefix", line: "md5:" + md5Hex + "  a", checksums: "md5:" + md5Hex},
		{name: "a prefix of SHA-256", line: "sha256:" + digest + "  a", sha256: digest},
		{name: "a prefix, base64", line: "SHA-1:" + sha1Base64 + "  a", checksums: "sha1:" + sha1Hex},
		{name: "CRC32 as S3 shows it", line: "crc32:2H9+DA==  a", checksums: "crc32:d87f7e0c"},
		{name: "CRC32C", line: "crc32c:86a072c0  a", checksums: "crc32c:86a072c0"},
		{name: "CRC64NVME", line: "crc64nvme:rosUhgp5mIg=  a", checksums: "crc64nvme:ae8b14860a799888"},
		{name: "composite SHA-1", line: "sha1:" + sha1Base64 + "-3  a", checksums: "sha1:" + sha1Base64 + "-3"},
		{name: "composite CRC32C", line: "crc32c:hqBywA==-3  a", checksums: "crc32c:hqBywA==-3"},
		{name: "an unknown prefix", line: "blake3:00  a", malformed: "unknown algorithm blake3"},
		{name: "a CRC without a prefix", line: "d87f7e0c  a", malformed: "the digest has 8 characters; expected 64 hexadecimal digits"},
		{name: "half a digest", line: "md5:" + md5Hex[:16] + "  a", malformed: `not 16 bytes of md5 in hexadecimal digits or base64: "098f6bcd4621d373"`},
		{name: "BSD", line: "MD5 (a) = " + md5Hex, checksums: "md5:" + md5Hex},
		{name: "BSD, SHA-512", format: "bsd", line: "SHA512 (a) = " + sha512Hex, checksums: "sha512:" + sha512Hex},
		{name: "BSD, unknown", line: "BLAKE2s (a) = " + digest, malformed: "unknown algorithm BLAKE2s"},
		{name: "OpenSSL", line: "SHA2-512(a)= " + sha512Hex, checksums: "sha512:" + sha512Hex},
		{name: "BagIt", format: "bagit", line: md5Hex + " a", checksums: "md5:" + md5Hex},
		{name: "BagIt, SHA-512", format: "bagit", line: sha512Hex + "\ta", checksums: "sha512:" + sha512Hex},
		{name: "JSON", line: `{"name":"a","md5":"` + md5Hex + `","sha256":"` + digest + `","crc32c":"hqBywA=="}`,
			sha256: digest, checksums: "md5:" + md5Hex + " crc32c:86a072c0"},
		{name: "JSON, no digest", line: `{"name":"a","md5":"x"}`, malformed: `not 16 bytes of md5 in hexadecimal digits or base64: "x"`},
		{name: "JSON, different parts", line: `{"name":"a","sha1":"` + sha1Base64 + `-3","crc32":"2H9+DA==-4"}`,
			malformed: "checksums of different numbers of parts: sha1:" + sha1Base64 + "-3 crc32:2H9+DA==-4"},
		{name: "JSON, different parts of SHA-256", line: `{"name":"a","sha256":"` + composite + `","crc32":"2H9+DA==-4"}`,
			malformed: "checksums of different numbers of parts: " + composite + " crc32:2H9+DA==-4"},
		{name: "a worker's match", line: `{"name":"a","outcome":"match","sha256":"` + digest + `","expected":"md5:` + md5Hex + `","computed":"md5:` + md5Hex + `"}`,
			sha256: digest, checksums: "md5:" + md5Hex},
		{name: "a worker's mismatch", line: `{"name":"a","outcome":"mismatch","sha256":"` + digest + `","expected":"md5:` + md5Hex + `","computed":"md5:x"}`,
			checksums: "md5:" + md5Hex},
		{name: "a worker's mismatch of two", line: `{"name":"a","outcome":"mismatch","sha256":"x","expected":"` + digest + ` md5:` + md5Hex + `"}`,
			sha256: digest, checksums: "md5:" + md5Hex},
		{name: "columns", format: "inventory", schema: "Bucket, Key, ETag, MD5, ChecksumSHA256, ChecksumCRC64NVME",
			line:   `"b","k","e","` + md5Base64 + `","n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=","rosUhgp5mIg="`,
			sha256: digest, checksums: "md5:" + md5Hex + " crc64nvme:ae8b14860a799888"},
		{name: "empty columns", format: "inventory", schema: "Bucket, Key, md5, sha1", line: `"b","k","","` + sha1Hex + `"`, checksums: "sha1:" + sha1Hex},
		{name: "a column of something else", format: "inventory", schema: "Bucket, Key, md5", line: `"b","k","x"`,
			malformed: `not 16 bytes of md5 in hexadecimal digits or base64: "x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NewFormat(tt.format, tt.schema, "")
			if err != nil {
				t.Fatal(err)
			}
			got := read(t, f, tt.line+"\n")
			if len(got) != 1 || got[0].SHA256 != tt.sha256 || got[0].Checksums != tt.checksums || got[0].Malformed != tt.malformed {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestEmptyLinesAreOfNoObject(t *testing.T) {
	for _, name := range strings.FieldsFunc(Formats, func(r rune) bool { return r == ',' || r == ' ' }) {
		if name == "or" {
			continue
		}
		f, err := NewFormat(name, "", "")
		if err != nil {
			t.Fatal(err)
		}
		if entries := read(t, f, "\n\r\n\n"); len(entries) > 0 {
			t.Errorf("%s: %+v", name, entries)
		}
	}
}

// A list that ends in the middle of a file is not whole.
func TestListsThatBreakOff(t *testing.T) {
	whole := "SHA256 hash of a:\n" + digest + "\nCertUtil: -hashfile command completed successfully.\n"
	for _, tt := range []struct {
		name, text string
		malformed  bool
	}{
		{"certutil, whole", whole, false},
		{"certutil", whole + "SHA256 hash of b:\n", true},
		{"Format-List, whole", "Algorithm : SHA256\nHash : " + digest + "\nPath : a\n\nAlgorithm : SHA256\nHash : " + digest + "\nPath : b\n", false},
		{"Format-List", "Algorithm : SHA256\nHash : " + digest + "\n", true},
	} {
		f, err := NewFormat("auto", "", "")
		if err != nil {
			t.Fatal(err)
		}
		entries := read(t, f, tt.text)
		if len(entries) == 0 {
			t.Errorf("%s: no entry", tt.name)
		} else if last := entries[len(entries)-1]; (last.Malformed != "") != tt.malformed {
			t.Errorf("%s: the last entry is %+v", tt.name, last)
		}
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

// The lines of sha256sum --zero end with NUL: names have no escapes, and any other byte. A NUL
// in the first of the list says so, unless it is one of several.
func TestNULEndedLists(t *testing.T) {
	const (
		inNUL     = "a NUL in a line that ends with newline"
		empty     = "an empty line that ends with NUL"
		inComment = "a newline or a NUL in a comment"
		long      = "longer than 65536 bytes"
	)
	zeros := strings.Repeat("\x00", 4096)
	for _, tt := range []struct {
		name, format, text string
		want               []string // names, or what is wrong
	}{
		{"coreutils", "auto", digest + "  a\x00" + digest + "  b\x00", []string{"a", "b"}},
		{"coreutils by name", "coreutils", digest + "  a\x00" + digest + "  b\x00", []string{"a", "b"}},
		{"BSD", "bsd", "SHA256 (a) = " + digest + "\x00SHA256 (b) = " + digest + "\x00", []string{"a", "b"}},
		{"another digest", "auto", md5Hex + "  a\x00" + md5Hex + "  b\x00", []string{"a", "b"}},
		{"the last without its end", "auto", digest + "  a\x00" + digest + "  b", []string{"a", "b"}},
		{"names as they are", "auto", digest + "  a\\nb\r\x00" + digest + "  \n\x00", []string{"a\\nb\r", "\n"}},
		{"a comment", "auto", "# x\x00" + digest + "  a\x00", []string{"a"}},
		{"an empty line", "auto", digest + "  a\x00\x00" + digest + "  b\x00", []string{inNUL}},
		{"empty lines behind others", "auto", digest + "  a\x00" + digest + "  b\x00\x00\x00" + digest + "  c\x00" + zeros, []string{"a", "b", empty, "c", empty}},
		{"zeros", "auto", zeros, []string{inNUL}},
		{"a zero", "coreutils", "\x00", []string{inNUL}},
		{"many zeros", "auto", strings.Repeat(zeros, 100), []string{long}},
		{"zeros behind newline", "auto", digest + "  a\n" + zeros, []string{"a", inNUL}},
		{"zeros behind a comment", "auto", "# x" + zeros, []string{inComment}},
		{"a list in a comment", "auto", "# x\n" + digest + "  a\n\x00", []string{inComment}},
		{"JSON", "auto", `{"name":"a"}` + "\x00" + digest + "  b\x00", []string{"a", "b"}},
		{"too long", "auto", digest + "  a\x00" + strings.Repeat("x\n", maxLine) + "\x00" + digest + "  b\x00", []string{"a", long, "b"}},
		{"newline in the first name", "auto", digest + "  a\nb\x00" + digest + "  c\x00", []string{"a\nb", "c"}},
		{"newline in the only name", "auto", digest + "  a\n" + digest + "  b\x00", []string{"a\n" + digest + "  b"}},
		{"names alone", "names", "a\x00b\x00\nc\n", []string{"a NUL in the name", "c"}},
		{"a bag", "bagit", digest + " a\x00" + digest + " b\x00", []string{"the name contains a NUL byte"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NewFormat(tt.format, "", "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, e := range read(t, f, tt.text) {
				got = append(got, cmp.Or(e.Malformed, e.Name))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %.300q, want %q", got, tt.want)
			}
		})
	}
}

// A list that comes slowly is read line by line: nothing waits for a second line.
func TestFirstLineDoesNotWait(t *testing.T) {
	in, out := io.Pipe()
	defer out.Close()
	f, _ := NewFormat("auto", "", "")
	go io.WriteString(out, digest+"  a\n")
	if e, err := NewReader(in, f, nil).Next(); err != nil || e.Name != "a" {
		t.Errorf("got %+v, %v", e, err)
	}
}

// TestFrames reads whole lists whose lines are not all of objects.
func TestFrames(t *testing.T) {
	for _, tt := range []struct{ format, text string }{
		{"rclone", "[\n{\"Path\":\"d\",\"Name\":\"d\",\"Size\":-1,\"IsDir\":true},\n{\"Path\":\"a\",\"Size\":7}\n]\n"},
		{"auto", "%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n## Invoked\n7," + digest + ",a\n"},
		{"auto", "%%%% HASHDEEP-1.0\n%%%% size,md5,tiger,filename\n7," + md5Hex + ",x,a\n"},
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

// A list is the same however it is stored, and whatever its base is.
func TestIdentity(t *testing.T) {
	const other = "0000000000000000000000000000000000000000000000000000000000000000"
	identity := func(text, format, base string) string {
		t.Helper()
		f, err := NewFormat(format, "", base)
		if err != nil {
			t.Fatal(err)
		}
		i := new(Identity)
		r := NewReader(strings.NewReader(text), f, nil)
		r.Identity = i
		for {
			if _, err := r.Next(); err == io.EOF {
				return i.String()
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	list := digest + "  a\n"
	want := identity(list+"junk\n", "auto", "")
	for name, got := range map[string]string{
		"a base":     identity(list+"junk\n", "auto", "s3://b"),
		"CRLF":       identity(digest+"  a\r\njunk\r\n", "auto", ""),
		"a comment":  identity("# x\n"+list+"\njunk", "auto", ""),
		"the format": identity("SHA256 (a) = "+digest+"\njunk\n", "auto", ""),
		"a size":     identity(`{"name":"a","size":1,"sha256":"`+digest+`"}`+"\njunk\n", "auto", ""),
	} {
		if got != want {
			t.Errorf("%s makes another list", name)
		}
	}
	for name, got := range map[string]string{
		"another name":           identity(digest+"  b\njunk\n", "auto", ""),
		"another digest":         identity(other+"  a\njunk\n", "auto", ""),
		"no digest":              identity("a\njunk\n", "names", ""),
		"a line less":            identity(list, "auto", ""),
		"another malformed line": identity(list+"rubbish\n", "auto", ""),
		"another order":          identity("junk\n"+list, "auto", ""),
		"a delete marker":        identity(`{"name":"a","deleted":true,"sha256":"`+digest+`"}`+"\njunk\n", "auto", ""),
		"another version":        identity(`{"name":"a","version":"v","sha256":"`+digest+`"}`+"\njunk\n", "auto", ""),
	} {
		if got == want {
			t.Errorf("%s makes no other list", name)
		}
	}
	// A version is of a URL, whatever the base is.
	want = identity("s3://b/k?versionId=v\n", "names", "")
	if identity("s3://b/k?versionId=v\n", "names", "d") != want || identity(`{"name":"s3://b/k","version":"v"}`, "json", "") != want {
		t.Error("a version makes another list")
	}
	if identity("k?versionId=v\n", "names", "s3://b") == identity(`{"name":"k","version":"v"}`, "json", "s3://b") {
		t.Error("a relative name that ends like a version is the same as a version")
	}
}

// inventoryRow is one of S3's inventories in Parquet.
type inventoryRow struct {
	Bucket   string    `parquet:"bucket"`
	Key      string    `parquet:"key"`
	Version  *string   `parquet:"version_id,optional"`
	MD5      *string   `parquet:"md5,optional"`
	Latest   *bool     `parquet:"is_latest,optional"`
	Delete   *bool     `parquet:"is_delete_marker,optional"`
	Size     *int64    `parquet:"size,optional"`
	Modified time.Time `parquet:"last_modified_date,timestamp(millisecond)"`
	ETag     *string   `parquet:"e_tag,optional"`
}

// An inventory in Parquet has the keys as they are, and any number of row groups.
func TestParquet(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	version, size, yes, no, sum := "v1", int64(7), true, false, md5Base64
	rows := []inventoryRow{
		{Bucket: "b", Key: "a+b%2B é", Size: &size, Modified: at},
		{Bucket: "b", Key: "k", Version: &version, Modified: at, MD5: &sum},
		{Bucket: "b", Key: "gone", Delete: &yes, Modified: at},
		{Bucket: "b", Key: "earlier", Latest: &no, Modified: at},
		{Bucket: "b", Key: "latest", Latest: &yes, Modified: at},
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
	var inParquet, inJSON Identity
	r.Identity = &inParquet
	var lines []byte
	want := []Entry{
		{Line: 1, Name: "s3://b/a+b%2B é", Size: 7, Modified: at},
		{Line: 2, Name: "s3://b/k", Version: "v1", Checksums: "md5:" + md5Hex, Size: -1, Modified: at},
		{Line: 3, Name: "s3://b/gone", Size: -1, Modified: at, Deleted: true},
		{Line: 4, Name: "s3://b/earlier", Version: "null", Size: -1, Modified: at},
		{Line: 5, Name: "s3://b/latest", Size: -1, Modified: at},
	}
	for i := range many {
		want = append(want, Entry{Line: int64(i + 6), Name: fmt.Sprintf("s3://b/many/%d", i), Size: 7, Modified: at})
	}
	for i, want := range want {
		if got, err := r.Next(); err != nil || got != want {
			t.Fatalf("row %d: got %+v, %v, want %+v", i+1, got, err, want)
		}
		lines = want.Append(lines)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("got %v at the end", err)
	}
	f, err := NewFormat("json", "", "")
	if err != nil {
		t.Fatal(err)
	}
	same := NewReader(bytes.NewReader(lines), f, nil)
	same.Identity = &inJSON
	for err == nil {
		_, err = same.Next()
	}
	if inParquet.String() != inJSON.String() {
		t.Error("the same lines in JSON are another list")
	}
	if _, err := NewParquetReader(strings.NewReader("PAR1 no PAR1"), 12); err == nil {
		t.Error("no error for what is not Parquet")
	}
}

// A list is whole if each listing in it ended, whatever order its lines have.
func TestListings(t *testing.T) {
	a, b := NewListing([]string{"s3://a/**"}, false), NewListing([]string{"s3://a/**"}, true)
	entry := &Entry{Name: "s3://a/k", Size: 1}
	lineA, lineB, endA, endB := string(a.Append(nil, entry)), string(b.Append(nil, entry)), string(a.AppendEnd(nil)), string(b.AppendEnd(nil))
	const other = `{"name":"x"}` + "\n"
	const result = `{"line":1,"name":"x","outcome":"new","sha256":"","expected":"","size":1,"error":""}` + "\n"
	const problem = `{"line":1,"name":"x","outcome":"missing","sha256":"","expected":"","size":-1,"error":""}` + "\n"
	summary := func(lines int) string {
		return fmt.Sprintf(`{"summary":{"lines":9,"match":1,"new":%d,"problems":8},"sha256":""}`, lines-1) + "\n"
	}
	const rcloneLine = `{"Path":"a","Size":7},` + "\n"
	for _, tt := range []struct {
		name, format, text string
		whole              bool
		entries            int
	}{
		{"nothing", "auto", "", true, 0},
		{"of another program", "auto", other, true, 1},
		{"whole", "auto", lineA + lineA + endA, true, 2},
		{"JSON", "json", lineA + endA, true, 1},
		{"of no objects", "auto", endA, true, 0},
		{"the end is missing", "auto", lineA + lineA, false, 2},
		{"the end is cut", "auto", lineA + endA[:len(endA)-10], false, 1},
		{"the end comes first", "auto", endA + lineA, true, 1},
		{"the end of another", "auto", lineA + lineB + endB, false, 2},
		{"both", "auto", lineA + lineB + endB + endA, true, 2},
		{"in another list", "auto", other + lineA, false, 2},
		{"broken off, and then whole", "auto", lineA + lineA + endA, true, 2},
		{"names", "names", lineA, true, 1},
		{"results", "auto", result + result + summary(2), true, 2},
		{"results in JSON", "json", result + result + summary(2), true, 2},
		{"problems without a summary", "auto", problem + problem, true, 2},
		{"results without their summary", "auto", result + result, false, 2},
		{"results of which the summary knows fewer", "auto", result + result + summary(1), false, 2},
		{"no results", "auto", summary(0), true, 0},
		{"results that were filtered", "auto", result + summary(9), true, 1},
		{"results, sorted in reverse", "auto", summary(2) + result + result, true, 2},
		{"results of two, sorted", "auto", result + result + result + summary(1) + summary(2), true, 3},
		{"whole results, and broken ones", "auto", result + result + summary(2) + result, false, 3},
		{"broken results, and whole ones", "auto", result + result + result + summary(2), false, 3},
		{"results behind a listing", "auto", lineA + endA + result, false, 2},
		{"results behind a listing that broke off", "auto", lineA + result + summary(1), false, 2},
		{"a name of a result", "names", result, true, 1},
		{"rclone", "rclone", "[\n" + rcloneLine + "]\n", true, 1},
		{"rclone, no object", "rclone", "[\n]\n", true, 0},
		{"rclone, broken off", "rclone", "[\n" + rcloneLine, false, 1},
		{"rclone, broken off, and then whole", "rclone", "[\n" + rcloneLine + "[\n" + rcloneLine + "]\n", false, 2},
		{"rclone, twice", "rclone", "[\n]\n[\n" + rcloneLine + "]\n", true, 1},
		{"rclone, whole, and then broken off", "rclone", "[\n]\n[\n" + rcloneLine, false, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := NewFormat(tt.format, "", "")
			if err != nil {
				t.Fatal(err)
			}
			var listings Listings
			n := 0
			for r := NewReader(strings.NewReader(tt.text), f, &listings); ; n++ {
				e, err := r.Next()
				if err == io.EOF {
					break
				}
				if err != nil || e.Malformed != "" {
					t.Fatalf("%+v, %v", e, err)
				}
			}
			if err := listings.Check(); n != tt.entries || (err == nil) != tt.whole || err != nil && !errors.Is(err, ErrBroken) && !errors.Is(err, ErrNoSummary) {
				t.Errorf("%d entries, %v", n, err)
			}
		})
	}
}

// A name with a version comes apart into what it was made of, whatever the key is.
func TestNamesOfVersions(t *testing.T) {
	for _, name := range []string{"s3://b/k", "s3://b/k?versionId=", "s3://b/k?versionId=v", "s3://b/a?versionId=b?versionId=c", "gs://b/k?versionId=1/2", "s3://b/?"} {
		for _, version := range []string{"", "v", "null", "a/b", "3/L4kqtJlcpXroDTDmJ+rmSpXd3dIbrHY+MTRCxf3vjVBH40Nr8X8gdRQBpUMLUo"} {
			joined := NameOfVersion(name, version)
			if n, v := CutVersion(joined); n != name || v != version {
				t.Errorf("%q of %q is %q, of which come %q, %q", version, name, joined, n, v)
			}
		}
	}
	for _, name := range []string{"s3://b/k", "a?versionId=b", "/a?versionId=", "file:///a?versionId=b"} {
		if got := NameOfVersion(name, ""); got != name {
			t.Errorf("got %q, want %q", got, name)
		}
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
		{Line: 4, Name: "d", Size: -1, Checksums: "md5:" + md5Hex + " sha1:" + sha1Hex + " sha512:" + sha512Hex + " crc32:d87f7e0c crc32c:hqBywA==-3 crc64nvme:ae8b14860a799888"},
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
		for _, args := range [][]string{{name}, {"--tag", name}, {"-z", name}, {"-z", "plain", name}, {"-z", "--tag", "plain", name}} {
			c := exec.Command(tool, args...)
			c.Dir = dir
			out, err := c.Output()
			if err != nil {
				t.Skip(err) // not GNU's
			}
			f, _ := NewFormat("auto", "", "")
			got := read(t, f, string(out))
			if of := slices.DeleteFunc(slices.Clone(args), isOption); len(got) != len(of) || got[len(got)-1].Name != name || got[len(got)-1].SHA256 != digest {
				t.Errorf("%q: got %+v", out, got)
			}
		}
	}
}

func isOption(arg string) bool { return strings.HasPrefix(arg, "-") }

func FuzzReader(f *testing.F) {
	f.Add("auto", digest+"  a\n")
	f.Add("inventory", `"b","k"`)
	f.Add("json", `{"name":"a"}`)
	f.Add("bagit", digest+" a%0A")
	f.Add("auto", "MD5 (a) = "+md5Hex+"\nsha1:"+sha1Base64+"-3  b\n")
	f.Fuzz(func(t *testing.T, format, text string) {
		fm, err := NewFormat(format, "", "")
		if err != nil {
			return
		}
		for r := NewReader(strings.NewReader(text), fm, nil); ; {
			e, err := r.Next()
			if err != nil {
				return
			}
			if strings.Contains(e.Checksums, "  ") || e.Malformed != "" && e.Checksums != "" {
				t.Fatalf("checksums of %+v", e)
			}
			if (e.Name == "" || e.SHA256 != "" && len(e.SHA256) != 64 && Parts(e.SHA256) == 0) && e.Malformed == "" {
				t.Fatalf("not malformed: %+v", e)
			}
		}
	})
}
