package list

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// inventory returns the parser of lines of CSV with the columns of an S3
// inventory or, if one is called ResultMessage, of a report of S3 Batch
// Operations.
func inventory(schema string) func(string, *Entry) error {
	columns := strings.Split(schema, ",")
	for i, c := range columns {
		columns[i] = columnName(c)
	}
	return func(line string, e *Entry) error {
		r := csv.NewReader(strings.NewReader(line))
		fields, err := r.Read()
		if err != nil {
			return fmt.Errorf("not CSV: %w", err)
		}
		names := columns
		switch {
		case schema != "":
		case len(fields) == 2:
			names = []string{"bucket", "key"}
		case len(fields) == 3:
			names = []string{"bucket", "key", "size"}
		default:
			return fmt.Errorf("%d columns, and no schema says what they are", len(fields))
		}
		if len(fields) != len(names) {
			return fmt.Errorf("%d columns, not the %d of the schema", len(fields), len(names))
		}
		row := make(map[string]string, len(names))
		for i, n := range names {
			row[n] = fields[i]
		}
		// Keys are escaped as in a form: a blank is "+", a plus sign "%2B".
		if row["key"], err = url.QueryUnescape(row["key"]); err != nil {
			return fmt.Errorf("the key is not URL-encoded: %w", err)
		}
		return e.setRow(row)
	}
}

// setRow sets the entry from the columns of a row, by their names.
func (e *Entry) setRow(row map[string]string) error {
	if row["bucket"] == "" || row["key"] == "" {
		return errors.New("no bucket or no key")
	}
	e.Name = "s3://" + row["bucket"] + "/" + row["key"]
	switch v := row["versionid"]; {
	case v != "" && v != "null":
		e.Version = v
	case strings.EqualFold(row["islatest"], "false"):
		// S3 calls a version null that is older than the bucket's versioning, and
		// inventories of all versions leave its ID out. Without an ID, S3 would send
		// the current version.
		e.Version = "null"
	}
	e.Deleted = strings.EqualFold(row["isdeletemarker"], "true")
	if s := row["size"]; s != "" {
		size, err := strconv.ParseInt(s, 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("not a size: %q", s)
		}
		e.Size = size
	}
	e.ETag = strings.Trim(row["etag"], `"`)
	if t, err := time.Parse(time.RFC3339, row["lastmodifieddate"]); err == nil {
		e.Modified = t
	}
	if err := e.setDigests(row); err != nil {
		return err
	}
	if message, ok := row["resultmessage"]; ok {
		return e.setResult(row["taskstatus"], message)
	}
	return nil
}

// setResult sets the digest from the message of a Compute checksum task.
func (e *Entry) setResult(status, message string) error {
	if status != "succeeded" {
		return fmt.Errorf("S3 has no checksum: the task %s: %s", status, message)
	}
	var r struct {
		Base64    string `json:"checksum_base64"`
		Hex       string `json:"checksum_hex"`
		Algorithm string `json:"checksumAlgorithm"`
		Type      string `json:"checksumType"`
	}
	if err := json.Unmarshal([]byte(message), &r); err != nil {
		return fmt.Errorf("the result message is not JSON: %w", err)
	}
	composite := strings.EqualFold(r.Type, "COMPOSITE")
	digest := r.Hex
	if composite || digest == "" {
		digest = r.Base64
	}
	if composite != strings.Contains(digest, "-") || digest == "" {
		return fmt.Errorf("no checksum of the type %s: %q", r.Type, digest)
	}
	taken, err := e.setDigest(r.Algorithm, digest)
	if err == nil && !taken {
		err = fmt.Errorf("a checksum of the unknown algorithm %q", r.Algorithm)
	}
	return err
}
