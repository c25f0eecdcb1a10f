package walk

import "testing"

// The last filter that matches counts; a directory is entered unless it is left out
// itself.
func TestFilters(t *testing.T) {
	in, out := true, false
	type f = struct {
		glob    string
		include bool
	}
	for _, test := range []struct {
		filters []f
		below   string
		dir     bool
		want    bool
	}{
		{nil, "x", false, true},
		{[]f{{"*.c", in}}, "a/x.c", false, true},
		{[]f{{"*.c", in}}, "a/x.h", false, false},
		{[]f{{"*.c", in}}, "a", true, true},
		{[]f{{"*.h", out}}, "a/x.c", false, true},
		{[]f{{"*.h", out}, {"x.h", in}}, "a/x.h", false, true},
		{[]f{{"x.h", in}, {"*.h", out}}, "a/x.h", false, false},
		{[]f{{"build", out}, {"build", in}}, "build", true, false},
		{[]f{{"build", out}, {"build", in}}, "build", false, true},
		{[]f{{"build", out}}, "a/build", true, false},
		{[]f{{"./x", out}}, "x", false, false},
		{[]f{{"./x", out}}, "./x", false, false},
		{[]f{{"./x", out}}, "a/x", false, true},
		{[]f{{"/x", out}}, "x", false, false},
		{[]f{{"/x", out}}, "./x", false, false},
		{[]f{{"/x", out}}, "a/x", false, true},
		{[]f{{"/x", out}}, "/x", false, false}, // named so
		{[]f{{"/a/x", out}}, "a/x", false, false},
		{[]f{{"/a/x", out}}, "/a/x", false, false},
		{[]f{{"a/x", out}}, "/a/x", false, true},
		{[]f{{"/build/", out}}, "build", true, false},
		{[]f{{"/*.c", in}}, "x.c", false, true},
		{[]f{{"/*.c", in}}, "a/x.c", false, false},
		{[]f{{"a/**/x", out}}, "a/b/c/x", false, false},
		{[]f{{"a/**/x", out}}, "b/a/x", false, true},
		{[]f{{"build/", out}}, "build", true, false},
	} {
		var all Filters
		for _, f := range test.filters {
			one, err := NewFilter(f.glob, f.include)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		if got := all.Keep(test.below, test.dir); got != test.want {
			t.Errorf("%v: %s (directory: %v) is kept: %v", test.filters, test.below, test.dir, got)
		}
	}
	for _, glob := range []string{"", "/", ".", "["} {
		if _, err := NewFilter(glob, true); err == nil {
			t.Errorf("%q is a glob", glob)
		}
	}
}
