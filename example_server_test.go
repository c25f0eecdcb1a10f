package sha256_test

import (
	"bytes"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"

	sha256 "github.com/sha256-simd/sha256-simd"
)

// uploads stores the parts of multipart uploads in files. It takes a part only
// if it has the digest that its Content-Digest field (RFC 9530) tells. All
// requests share the lanes of one Server.
type uploads struct {
	dir    string
	server *sha256.Server
}

func (u *uploads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts, err := r.MultipartReader()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch err := u.store(part); {
		case errors.Is(err, errDigest):
			fmt.Fprintf(w, "%s: %v\n", part.FileName(), err)
		case err != nil:
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		default:
			fmt.Fprintf(w, "%s: stored\n", part.FileName())
		}
	}
}

var errDigest = errors.New("not what its Content-Digest says")

// store stores a part under its name, but not before its digest is known to be
// right.
func (u *uploads) store(part *multipart.Part) (err error) {
	field := part.Header.Get("Content-Digest")
	field, isSHA256 := strings.CutPrefix(field, "sha-256=:")
	want, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(field, ":"))
	if !isSHA256 || err != nil {
		return errDigest
	}
	f, err := os.CreateTemp(u.dir, "upload-*")
	if err != nil {
		return err
	}
	defer func() {
		f.Close()
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	h := u.server.New()
	if _, err := io.Copy(io.MultiWriter(f, h), part); err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(h.Sum(nil), want) == 0 {
		return errDigest
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(u.dir, part.FileName()))
}

// An HTTP handler verifies the SHA-256 digest of each part of an upload while
// it stores it. When uploads come in at the same time, their parts are hashed
// side by side.
func ExampleServer() {
	dir, err := os.MkdirTemp("", "uploads")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	server := sha256.NewServer()
	defer server.Close()
	web := httptest.NewServer(&uploads{dir, server})
	defer web.Close()

	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	add := func(name, content, digestOf string) {
		digest := sha256.Sum256([]byte(digestOf))
		w, err := form.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {fmt.Sprintf(`form-data; name="file"; filename=%q`, name)},
			"Content-Digest":      {"sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"},
		})
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	add("right", "what was sent", "what was sent")
	add("wrong", "what arrived", "what was sent")
	form.Close()
	response, err := http.Post(web.URL, form.FormDataContentType(), &body)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		log.Fatal(err)
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range files {
		fmt.Println("in the directory:", f.Name())
	}
	// Output:
	// right: stored
	// wrong: not what its Content-Digest says
	// in the directory: right
}

// Each goroutine copies its stream to a hash of its own.
func ExampleNewServer() {
	server := sha256.NewServer()
	defer server.Close()
	streams := []io.Reader{strings.NewReader("one"), strings.NewReader("two"), strings.NewReader("three")}
	digests := make([][]byte, len(streams))
	var wg sync.WaitGroup
	for i, stream := range streams {
		wg.Go(func() {
			h := server.New()
			if _, err := io.Copy(h, stream); err == nil {
				digests[i] = h.Sum(nil)
			}
		})
	}
	wg.Wait()
	for _, d := range digests {
		fmt.Printf("%x…\n", d[:8])
	}
	// Output:
	// 7692c3ad3540bb80…
	// 3fc4ccfe745870e2…
	// 8b5b9db0c13db242…
}

// A connection keeps its hash, and resets it between two messages.
func ExampleServer_New() {
	server := sha256.NewServer()
	defer server.Close()
	h := server.New()
	for _, message := range []string{"one", "two"} {
		h.Reset()
		io.WriteString(h, message)
		fmt.Printf("%x…\n", h.Sum(nil)[:8])
	}
	// Output:
	// 7692c3ad3540bb80…
	// 3fc4ccfe745870e2…
}

// A hash goes on when its Server is closed: it then works alone.
func ExampleServer_Close() {
	server := sha256.NewServer()
	h := server.New()
	io.WriteString(h, "hello, ")
	if err := server.Close(); err != nil {
		log.Fatal(err)
	}
	io.WriteString(h, "world\n")
	fmt.Printf("%x\n", h.Sum(nil))
	// Output: 853ff93762a06ddbf722c4ebe9ddd66d8f63ddaea97f521c3ecc20da7c976020
}

// Requests that are served at the same time have their messages hashed side by side.
func ExampleServer_Sum256() {
	server := sha256.NewServer()
	defer server.Close()
	digests := make([][sha256.Size]byte, 3)
	var wg sync.WaitGroup
	for i := range digests {
		wg.Go(func() { digests[i] = server.Sum256(fmt.Appendf(nil, "message %d", i)) })
	}
	wg.Wait()
	fmt.Println(digests[2] == sha256.Sum256([]byte("message 2")))
	// Output: true
}
