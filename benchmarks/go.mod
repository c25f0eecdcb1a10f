module github.com/sha256-simd/sha256-simd/benchmarks

go 1.25.0

require (
	github.com/btcsuite/btcd v0.24.2
	github.com/btcsuite/btcd/btcutil v1.1.6
	github.com/celestiaorg/nmt v0.24.3
	github.com/cloudflare/circl v1.6.5
	github.com/cometbft/cometbft v0.38.17
	github.com/klauspost/cpuid/v2 v2.4.2
	github.com/minio/sha256-simd v1.0.1
	github.com/moby/sys/atomicwriter v0.1.0
	github.com/prysmaticlabs/gohashtree v0.0.4-beta
	github.com/schollz/progressbar/v3 v3.19.1
	github.com/sha256-simd/sha256-simd v0.0.0-00010101000000-000000000000
	github.com/sha256-simd/sha256-simd/slhdsa v0.0.0-00010101000000-000000000000
	github.com/transparency-dev/merkle v0.0.2
	github.com/xdg-go/scram v1.4.0
	github.com/zeebo/blake3 v0.2.4
	golang.org/x/crypto v0.54.0
	golang.org/x/mod v0.37.0
	golang.org/x/term v0.45.0
	gonum.org/v1/plot v0.17.0
	lukechampine.com/blake3 v1.4.1
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.2.0 // indirect
	codeberg.org/go-pdf/fpdf v0.11.1 // indirect
	git.sr.ht/~sbinet/gg v0.7.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/btcsuite/btcd/btcec/v2 v2.1.3 // indirect
	github.com/btcsuite/btcd/chaincfg/chainhash v1.1.0 // indirect
	github.com/btcsuite/btclog v0.0.0-20170628155309-84c8d2346e9f // indirect
	github.com/cosmos/gogoproto v1.7.0 // indirect
	github.com/decred/dcrd/crypto/blake256 v1.0.1 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.3.0 // indirect
	github.com/gogo/protobuf v1.3.2 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/google/go-cmp v0.6.0 // indirect
	github.com/mitchellh/colorstring v0.0.0-20190213212951-d06e56a500db // indirect
	github.com/moby/sys/sequential v0.6.0 // indirect
	github.com/rivo/uniseg v0.4.7 // indirect
	github.com/xdg-go/stringprep v1.0.4 // indirect
	golang.org/x/image v0.30.0 // indirect
	golang.org/x/sys v0.47.0 // indirect
	golang.org/x/text v0.40.0 // indirect
	google.golang.org/protobuf v1.36.4 // indirect
)

replace github.com/sha256-simd/sha256-simd => ../

replace github.com/sha256-simd/sha256-simd/slhdsa => ../slhdsa
