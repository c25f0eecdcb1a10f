package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fleetsum": main})
}

// TestScripts runs the scripts of testdata/script with the built tool. Each has
// an S3 server, which $FLEETSUM_STORE leads to.
func TestScripts(t *testing.T) {
	runScripts(t, "script", func(env *testscript.Env) *storetest.Server { return storetest.New(env.T().(testing.TB)) })
}

// TestStores runs those of testdata/store with each kind of store. $BUCKET is the
// URL of its bucket, which they share.
func TestStores(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *storetest.Server) {
		runScripts(t, "store", func(env *testscript.Env) *storetest.Server {
			for _, name := range []string{"STORAGE_EMULATOR_HOST", "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_KEY"} {
				env.Setenv(name, os.Getenv(name))
			}
			env.Setenv("BUCKET", s.Name(""))
			return s
		})
	})
}

func runScripts(t *testing.T, dir string, start func(*testscript.Env) *storetest.Server) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", dir),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			s := start(env)
			env.Values["server"] = s
			env.Setenv("FLEETSUM_STORE", s.Params())
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"put":         put,
			"keep":        keep,
			"version":     version,
			"zeros":       zeros,
			"objects":     objects,
			"fail":        fail,
			"failpages":   failPages,
			"requests":    requests,
			"sorted":      sorted,
			"accesspoint": accessPoint,
		},
	})
}

func server(ts *testscript.TestScript) *storetest.Server {
	return ts.Value("server").(*storetest.Server)
}

// put KEY FILE writes an object to the bucket.
func put(ts *testscript.TestScript, _ bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	server(ts).Put(args[0], data)
}

// version KEY FILE VARIABLE writes an object to the bucket as a new version, whose ID
// it puts into an environment variable.
func version(ts *testscript.TestScript, _ bool, args []string) {
	data, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	ts.Setenv(args[2], server(ts).PutVersion(args[0], data))
}

// keep KEY has the store keep what an object is now, as a version of it.
func keep(ts *testscript.TestScript, _ bool, args []string) { server(ts).Keep(args[0]) }

// accesspoint NAME.ACCOUNT.REGION serves the bucket as an access point of it, to which a
// proxy leads.
func accessPoint(ts *testscript.TestScript, _ bool, args []string) {
	part := strings.Split(args[0], ".")
	host := part[0] + "-" + part[1] + ".s3-accesspoint." + part[2] + ".amazonaws.com"
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		r.URL.Path = "/" + storetest.Bucket + r.URL.Path
		server(ts).ServeHTTP(w, r)
	}))
	ts.Defer(proxy.Close)
	ts.Setenv("HTTP_PROXY", proxy.URL)
	ts.Setenv("FLEETSUM_STORE", "s3://?anonymous=true&disable_https=true&region=us-east-1")
}

// objects N writes N empty objects to the bucket.
func objects(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range n {
		server(ts).Put(fmt.Sprintf("%05d", i), nil)
	}
}

// zeros FILE SIZE makes a file of zeros.
func zeros(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	name := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, nil, 0o666))
	ts.Check(os.Truncate(name, size))
}

var summaryDigest = regexp.MustCompile(`^(\{"summary":.*"sha256":").{64}"\}`)

// fail STATUS [PREFIX]... has the server answer reads of objects whose keys begin with one
// of these, or of all objects, with a status; 0 ends that. Scripts that share a server
// need a prefix.
func fail(ts *testscript.TestScript, _ bool, args []string) {
	status, err := strconv.Atoi(args[0])
	ts.Check(err)
	server(ts).Faults(func(key string, _ int) storetest.Fault {
		begins := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
		if len(args) > 1 && !slices.ContainsFunc(args[1:], begins) {
			return storetest.Fault{}
		}
		return storetest.Fault{Status: status}
	})
}

// failpages on has the server refuse the second and later pages of listings; off ends
// that.
func failPages(ts *testscript.TestScript, _ bool, args []string) {
	server(ts).FailPages(args[0] == "on")
}

// requests N fails unless the server has had N reads of objects since it was
// last asked.
func requests(ts *testscript.TestScript, _ bool, args []string) {
	if n := strconv.FormatInt(server(ts).Requests.Swap(0), 10); n != args[0] {
		ts.Fatalf("%s requests, want %s", n, args[0])
	}
}

// sorted FILE writes the lines of the last standard output to a file, sorted:
// results come in the order in which they are done.
func sorted(ts *testscript.TestScript, _ bool, args []string) {
	lines := strings.SplitAfter(ts.ReadFile("stdout"), "\n")
	for i, line := range lines {
		// The order of the lines, which is any, is in the digest.
		lines[i] = summaryDigest.ReplaceAllString(line, `$1…"}`)
	}
	slices.Sort(lines)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(lines, "")), 0o666))
}
