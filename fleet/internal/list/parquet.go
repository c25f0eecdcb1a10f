package list

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
)

// A ParquetReader reads the entries of an S3 inventory in Parquet. It is not safe for
// concurrent use.
type ParquetReader struct {
	// Identity, if not nil, gets the entries that are read.
	Identity *Identity

	names  []string      // of columns, as setRow has them
	unit   time.Duration // of the column of times, or 0
	groups []parquet.RowGroup
	rows   parquet.Rows // of the current group
	buffer []parquet.Row
	next   []parquet.Row // the rows of buffer that are yet to be returned
	line   int64
}

// parquetBatch is how many rows are read at once.
const parquetBatch = 256

// NewParquetReader returns a ParquetReader of a file of size bytes.
func NewParquetReader(f io.ReaderAt, size int64) (*ParquetReader, error) {
	file, err := parquet.OpenFile(f, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("not Parquet: %w", err)
	}
	r := &ParquetReader{groups: file.RowGroups(), buffer: make([]parquet.Row, parquetBatch)}
	for _, path := range file.Schema().Columns() {
		name := columnName(strings.Join(path, "."))
		r.names = append(r.names, name)
		if leaf, ok := file.Schema().Lookup(path...); ok && name == "lastmodifieddate" {
			r.unit = timeUnit(leaf.Node.Type())
		}
	}
	return r, nil
}

// timeUnit returns the unit of a column's times, or 0 if it is not known.
func timeUnit(t parquet.Type) time.Duration {
	logical := t.LogicalType()
	switch {
	case logical == nil || logical.Timestamp == nil:
		return 0
	case logical.Timestamp.Unit.Millis != nil:
		return time.Millisecond
	case logical.Timestamp.Unit.Micros != nil:
		return time.Microsecond
	case logical.Timestamp.Unit.Nanos != nil:
		return time.Nanosecond
	}
	return 0
}

// Next returns the next entry, or io.EOF. A row counts as a line.
func (r *ParquetReader) Next() (Entry, error) {
	for len(r.next) == 0 {
		if err := r.fill(); err != nil {
			return Entry{}, err
		}
	}
	values := r.next[0]
	r.next = r.next[1:]
	r.line++
	e := Entry{Line: r.line, Size: -1}
	row := make(map[string]string, len(r.names))
	for _, v := range values {
		if v.IsNull() || v.Column() < 0 || v.Column() >= len(r.names) {
			continue
		}
		name := r.names[v.Column()]
		if name != "lastmodifieddate" {
			row[name] = v.String()
		} else if r.unit > 0 {
			row[name] = time.Unix(0, v.Int64()*int64(r.unit)).UTC().Format(time.RFC3339Nano)
		}
	}
	if err := e.setRow(row); err != nil {
		e.Malformed = err.Error()
	} else {
		e.Malformed = e.check()
	}
	if e.Malformed != "" {
		r.Identity.addMalformed(e.Malformed + "\x00" + e.Name)
		e.Size = -1
	} else {
		r.Identity.add(e.Name, &e)
	}
	return e, nil
}

// fill reads rows into the buffer, perhaps none.
func (r *ParquetReader) fill() error {
	if r.rows == nil {
		if len(r.groups) == 0 {
			return io.EOF
		}
		r.rows, r.groups = r.groups[0].Rows(), r.groups[1:]
	}
	n, err := r.rows.ReadRows(r.buffer)
	r.next = r.buffer[:n]
	switch {
	case n > 0 && err == io.EOF:
		return nil // the end comes again; Close would take the rows away
	case err == io.EOF || err == nil && n == 0:
		return r.Close()
	}
	return err
}

// Close ends the reading.
func (r *ParquetReader) Close() error {
	if r.rows == nil {
		return nil
	}
	rows := r.rows
	r.rows = nil
	return rows.Close()
}
