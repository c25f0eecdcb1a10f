package sha256_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	stdsha256 "crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	sha256 "github.com/sha256-simd/sha256-simd"
)

// TestRegisterHash registers a Server's hashes, and uses packages that take them from
// there.
func TestRegisterHash(t *testing.T) {
	refused := strings.Contains(os.Getenv("GODEBUG"), "fips140=only")
	key, certificate := identity(t)
	if err := handshake(key, certificate); err != nil {
		t.Fatalf("handshake with the hashes of crypto/sha256: %v", err)
	}

	server := sha256.NewServer()
	defer server.Close()
	crypto.RegisterHash(crypto.SHA256, server.New)
	defer crypto.RegisterHash(crypto.SHA256, stdsha256.New)

	h := crypto.SHA256.New()
	if _, ok := h.(*sha256.Avx512Digest); !ok {
		t.Fatalf("crypto.SHA256.New returns a %T", h)
	}
	message := make([]byte, 100_000)
	h.Write(message)
	digest := stdsha256.Sum256(message)
	if got := [32]byte(h.Sum(nil)); got != digest {
		t.Errorf("%x, want %x", got, digest)
	}

	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rsa.SignPSS(rand.Reader, rsaKey, crypto.SHA256, digest[:], nil); (err != nil) != refused {
		t.Errorf("crypto/rsa: error %v, refused %v", err, refused)
	}
	if err := handshake(key, certificate); errors.Is(err, errPanicked) != refused || !refused && err != nil {
		t.Errorf("crypto/tls: error %v, refused %v", err, refused)
	}
}

// TestRegisterHashUnderFIPSOnly runs TestRegisterHash where packages refuse the hashes.
func TestRegisterHashUnderFIPSOnly(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Skipf("finding the test binary: %v", err)
	}
	cmd := exec.Command(self, "-test.run=^TestRegisterHash$")
	cmd.Env = append(os.Environ(), "GODEBUG=fips140=only")
	out, err := cmd.CombinedOutput()
	if err != nil && (strings.Contains(err.Error(), "exec format error") || errors.Is(err, errors.ErrUnsupported)) {
		t.Skipf("running the test binary: %v", err) // an emulator runs this one
	}
	if strings.Contains(string(out), "fips140: FIPS 140-3 mode is ") {
		t.Skipf("this build has no FIPS 140-3 mode")
	}
	if err != nil {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
}

// identity returns a key and a certificate for it.
func identity(t *testing.T) (*ecdsa.PrivateKey, []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"test"}, NotAfter: time.Now().Add(time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return key, certificate
}

var errPanicked = errors.New("panicked")

// handshake has a client and a server of TLS 1.3 greet each other by a suite of SHA-256.
func handshake(key *ecdsa.PrivateKey, certificate []byte) error {
	ours, theirs := net.Pipe()
	config := &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}},
		InsecureSkipVerify: true,
		CurvePreferences:   []tls.CurveID{tls.CurveP256}, // which every mode allows
	}
	errs := make(chan error)
	for i, conn := range []*tls.Conn{tls.Client(ours, config), tls.Server(theirs, config)} {
		go func() {
			var err error
			defer func() {
				if v := recover(); v != nil {
					err = fmt.Errorf("%w: %v", errPanicked, v)
				}
				if err != nil {
					[]net.Conn{ours, theirs}[i].Close()
				}
				errs <- err
			}()
			if err = conn.Handshake(); err == nil && conn.ConnectionState().CipherSuite != tls.TLS_AES_128_GCM_SHA256 {
				err = errors.New("another suite")
			}
		}()
	}
	return errors.Join(<-errs, <-errs)
}
