package list

import "strings"

const versionMark = "?versionId="

// NameOfVersion returns the name of a version of an object for lists that have names
// alone. CutVersion takes it apart.
func NameOfVersion(name, version string) string {
	if bare, _ := CutVersion(name); bare == name && version == "" {
		return name
	}
	return name + versionMark + version
}

// CutVersion returns the name and the version in a name of NameOfVersion. Only
// objects of stores have versions. A key may itself end like a name with a version;
// with an empty version behind it, it is the key.
func CutVersion(name string) (bare, version string) {
	if !hasScheme.MatchString(name) || strings.HasPrefix(name, "file://") {
		return name, ""
	}
	if i := strings.LastIndex(name, versionMark); i >= 0 {
		return name[:i], name[i+len(versionMark):]
	}
	return name, ""
}
