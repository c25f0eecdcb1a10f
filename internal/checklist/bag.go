package checklist

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// BagVersions are the known versions of BagIt.
var BagVersions = []string{"0.93", "0.94", "0.95", "0.96", "0.97", "1.0"}

var (
	// Most runs of the tools never need these: they are compiled when they are used.
	versionLine  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^BagIt-Version: ([0-9]+\.[0-9]+)$`) })
	encodingLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^Tag-File-Character-Encoding: (\S+)$`) })
	lineEnds     = strings.NewReplacer("\r\n", "\n", "\r", "\n")
)

// ParseDeclaration reads the declaration of a bag, bagit.txt: its version, and the encoding of
// its tag files.
func ParseDeclaration(text string) (version, encoding string, err error) {
	lines := strings.Split(strings.TrimSuffix(lineEnds.Replace(text), "\n"), "\n")
	if len(lines) != 2 {
		return "", "", fmt.Errorf("not the declaration of a bag: %d lines; expected 2", len(lines))
	}
	v, c := versionLine().FindStringSubmatch(lines[0]), encodingLine().FindStringSubmatch(lines[1])
	if v == nil || c == nil {
		return "", "", errors.New("not the declaration of a bag: expected 'BagIt-Version: M.N' and 'Tag-File-Character-Encoding: NAME'")
	}
	return v[1], c[1], nil
}

// BagFormat returns the format of the manifests of a bag of a version, known or not.
func BagFormat(version string) Format {
	if version != "1.0" && slices.Contains(BagVersions, version) {
		return EarlyBagIt
	}
	return BagIt
}

// LeadsOut reports whether a name leads out of the bag, if a shell reads it too: there ~ and
// ~user are home directories.
func LeadsOut(name string) bool {
	first, _, below := strings.Cut(name, "/")
	return !filepath.IsLocal(name) || strings.HasPrefix(first, "~") && (below || first == "~")
}
