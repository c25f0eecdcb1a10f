module github.com/sha256-simd/sha256-simd/hashtree/crosscheck

go 1.25.0

require (
	github.com/anacrolix/torrent v1.59.1
	github.com/btcsuite/btcd v0.24.2
	github.com/btcsuite/btcd/btcutil v1.1.6
	github.com/btcsuite/btcd/chaincfg/chainhash v1.1.0
	github.com/cometbft/cometbft v0.38.17
	github.com/sha256-simd/sha256-simd v0.0.0-00010101000000-000000000000
	github.com/transparency-dev/merkle v0.0.2
	golang.org/x/mod v0.31.0
)

require (
	github.com/anacrolix/generics v0.1.0 // indirect
	github.com/btcsuite/btcd/btcec/v2 v2.1.3 // indirect
	github.com/btcsuite/btclog v0.0.0-20170628155309-84c8d2346e9f // indirect
	github.com/cosmos/gogoproto v1.7.0 // indirect
	github.com/decred/dcrd/crypto/blake256 v1.0.1 // indirect
	github.com/decred/dcrd/dcrec/secp256k1/v4 v4.3.0 // indirect
	github.com/google/go-cmp v0.6.0 // indirect
	golang.org/x/crypto v0.40.0 // indirect
	golang.org/x/exp v0.0.0-20240823005443-9b4947da3948 // indirect
	golang.org/x/sys v0.46.0 // indirect
	google.golang.org/protobuf v1.36.4 // indirect
)

replace github.com/sha256-simd/sha256-simd => ../..
