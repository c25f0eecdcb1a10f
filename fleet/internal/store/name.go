package store

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A place is where an object is: a path, or a key in a bucket.
type place struct {
	path   string // of a file, else ""
	scheme string // of a provider
	// bucket is a bucket, an ARN of an access point, or a container.
	bucket string
	// host is that of a container's account, as abfss:// names it, or "".
	host string
	key  string
	// written is what was written before the key.
	written string
}

// provider returns the kind of store that the object is in, or nil for files.
func (p place) provider() *provider { return providers[p.scheme] }

// FileRoot is the Root of all files.
const FileRoot = "file://"

// root names the store that the object is in.
func (p place) root() string {
	switch {
	case p.scheme == "":
		return FileRoot
	case p.host != "":
		return p.scheme + "://" + p.bucket + "@" + p.host
	}
	return p.scheme + "://" + p.bucket
}

// aliases are schemes of Hadoop and fsspec for stores that have another here.
var aliases = map[string]string{
	"s3a": "s3", "az": "azblob", "abfs": "azblob", "abfss": "azblob", "wasb": "azblob", "wasbs": "azblob",
}

// A nameError says that a name leads nowhere, whatever the stores hold.
type nameError string

func (e nameError) Error() string { return string(e) }

const errNoVersions = nameError("files have no versions")

// parse finds out where a name leads.
func parse(name string) (place, error) {
	scheme, rest, ok := cutScheme(name)
	switch {
	case !ok:
		return place{path: name}, nil
	case scheme == "file":
		u, err := url.Parse(name)
		if err != nil || u.Path == "" || u.Host != "" && u.Host != "localhost" || strings.ContainsAny(name, "?#") {
			return place{}, nameError(fmt.Sprintf("%q is not file:// and an absolute path, with ?, # and %% escaped", name))
		}
		return place{path: filepath.FromSlash(u.Path)}, nil
	}
	p, err := parseURL(scheme, rest)
	if err == nil && p.bucket == "" {
		err = nameError(fmt.Sprintf("no bucket in %q", name))
	}
	return p, err
}

// cutScheme takes a URL apart. What is no URL is a path.
func cutScheme(name string) (scheme, rest string, isURL bool) {
	scheme, rest, ok := strings.Cut(name, "://")
	return scheme, rest, ok && !strings.ContainsAny(scheme, "/.")
}

// IsRelative reports whether a name is a path that begins at the working directory.
func IsRelative(name string) bool {
	_, _, isURL := cutScheme(name)
	return !isURL && isRelativePath(name)
}

// isRelativePath is IsRelative of a path. On Windows one that begins with a separator is not
// absolute either: it begins at the root of the current drive.
func isRelativePath(path string) bool {
	return !filepath.IsAbs(path) && (path == "" || !os.IsPathSeparator(path[0]))
}

// Canonical returns one name for all names of a directory, or of what is below a key:
// schemes for the same store are one, and paths are absolute and without links. "" is the
// working directory. If there is no such directory, links stay. What is no name is returned
// as it is.
func Canonical(name string) string {
	p, err := parse(name)
	if err != nil {
		return name
	}
	if p.scheme != "" {
		return p.root() + "/" + p.key
	}
	// Abs takes "link/.." for the directory that the link is in, so links come first.
	path := p.path
	if isRelativePath(path) {
		if wd, err := os.Getwd(); err == nil {
			path = wd + string(filepath.Separator) + path
		}
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// Same returns a function that reports whether a name is of the object that a name has now.
// Symbolic links are what they lead to. Another hard link is not the same: it keeps its contents
// when Write replaces the file. Without such a file no name is.
func Same(name string) func(other string) bool {
	p, err := parse(name)
	if err != nil {
		return func(string) bool { return false }
	}
	if p.scheme != "" {
		return func(other string) bool {
			q, err := parse(other)
			return err == nil && q.root() == p.root() && q.key == p.key
		}
	}
	info, err := os.Stat(p.path)
	if err != nil {
		return func(string) bool { return false }
	}
	dir, base := entryOf(p.path)
	return func(other string) bool {
		q, err := parse(other)
		if err != nil || q.scheme != "" {
			return false
		}
		now, err := os.Stat(q.path)
		if err != nil || !os.SameFile(now, info) {
			return false
		}
		otherDir, otherBase := entryOf(q.path)
		// Some file systems know no case.
		return os.SameFile(otherDir, dir) && strings.EqualFold(otherBase, base)
	}
}

// entryOf returns the directory that a file is in, or nil if that cannot be read, and its name
// there.
func entryOf(path string) (dir os.FileInfo, base string) {
	path = Canonical(path)
	dir, _ = os.Stat(filepath.Dir(path))
	return dir, filepath.Base(path)
}

// arn is the ARN of an access point, which has a slash or colon before its name, and
// what follows it.
var arn = regexp.MustCompile(`(?s)^(arn:[^:/]+:(?:s3|s3-object-lambda):[^:/]*:[^:/]*:accesspoint[:/][^:/]+|` +
	`arn:[^:/]+:s3-outposts:[^:/]*:[^:/]*:outpost[:/][^:/]+[:/](?:accesspoint|bucket)[:/][^:/]+)(?:/(.*))?$`)

// parseURL finds out where the URL of a store leads. It may have no bucket.
func parseURL(scheme, rest string) (place, error) {
	p := place{scheme: scheme}
	if to, ok := aliases[scheme]; ok {
		p.scheme = to
	}
	if providers[p.scheme] == nil {
		return place{}, nameError(fmt.Sprintf("unknown kind of store %s://", scheme))
	}
	p.bucket, p.key, _ = strings.Cut(rest, "/")
	switch {
	case p.scheme == "s3" && strings.HasPrefix(rest, "arn:"):
		m := arn.FindStringSubmatch(rest)
		if m == nil {
			return place{}, nameError(fmt.Sprintf("%q does not begin with the ARN of an access point", rest))
		}
		p.bucket, p.key = m[1], m[2]
		p.written = scheme + "://" + p.bucket
	case p.scheme == "azblob":
		p.written = scheme + "://" + p.bucket
		p.bucket, p.host, _ = strings.Cut(p.bucket, "@")
	default:
		p.written = scheme + "://" + p.bucket
	}
	return p, nil
}

// parseParams returns the root of a bucket, or of all buckets of a scheme, and its
// parameters.
func parseParams(text string) (root string, q url.Values, err error) {
	name, query, _ := strings.Cut(text, "?")
	scheme, rest, ok := strings.Cut(name, "://")
	if ok && query != "" {
		p, parseErr := parseURL(scheme, rest)
		q, err = url.ParseQuery(query)
		if parseErr == nil && err == nil && strings.Trim(p.key, "/") == "" {
			return p.root(), q, nil
		}
	}
	return "", nil, fmt.Errorf("%q is not of the form s3://BUCKET?PARAMETER=VALUE or s3://?PARAMETER=VALUE", text)
}
