#!/bin/sh
# Runs gohashtree's own tests over this module, in a temporary directory.
set -eu
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
export GOWORK=off GOFLAGS=-mod=mod

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
upstream=github.com/prysmaticlabs/gohashtree@v0.0.4-beta
dir=$(cd "$tmp" && go mod init fetch >fetch.log 2>&1 && go mod download -json "$upstream" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')
rm "$tmp/go.mod" "$tmp/fetch.log"

cp gohashtree.go go.mod go.sum "$tmp"
cp "$dir"/hash_test.go "$dir"/hash_fuzz_test.go "$tmp"
chmod -R u+w "$tmp"
# The tests compare with the original's plain Go, which is not exported there
# either: its export_test.go names it.
cat >"$tmp/export_test.go" <<'GO'
package gohashtree

var Sha256_1_generic = HashChunks
GO
cd "$tmp"
go mod edit -replace "github.com/sha256-simd/sha256-simd=$root" -require github.com/minio/sha256-simd@v1.0.1
go mod tidy
go vet .
go test "$@" .
