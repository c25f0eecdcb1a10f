package crosscheck_test

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/blockchain"
	"github.com/btcsuite/btcd/btcutil"
	"github.com/btcsuite/btcd/chaincfg/chainhash"
	"github.com/btcsuite/btcd/wire"

	"github.com/sha256-simd/sha256-simd/hashtree/bitcoin"
)

// checkBlock compares the tree over transactions with btcd's.
func checkBlock(t *testing.T, what string, txs []*btcutil.Tx, index int) [32]byte {
	t.Helper()
	ids := make([][32]byte, len(txs))
	for i, tx := range txs {
		ids[i] = *tx.Hash()
	}
	root, mutated := bitcoin.Root(ids)
	store := blockchain.BuildMerkleTreeStore(txs, false)
	if want := *store[len(store)-1]; root != want || mutated {
		t.Fatalf("%s: root %x, mutated %v, btcd's %x", what, root, mutated, want[:])
	}
	branch, err := bitcoin.Branch(ids, index)
	if err != nil {
		t.Fatal(err)
	}
	// btcd has the levels one behind the other, of as many places as a full tree;
	// a node without a sibling has nil beside it.
	level, width, at := store, (len(store)+1)/2, index
	for i, got := range branch {
		want := level[at^1]
		if want == nil {
			want = level[at]
		}
		if got != *want {
			t.Fatalf("%s, transaction %d: hash %d of the branch is %x, btcd's %x", what, index, i, got, want[:])
		}
		level, width, at = level[width:], width/2, at/2
	}
	if width != 1 {
		t.Fatalf("%s, transaction %d: a branch of %d hashes", what, index, len(branch))
	}
	return root
}

func TestBitcoinAgainstBTCD(t *testing.T) {
	r := rand.New(rand.NewPCG(2009, 1))
	txs := make([]*btcutil.Tx, 2*maxLeaves)
	for i := range txs {
		tx := wire.NewMsgTx(1)
		tx.LockTime = uint32(i)
		txs[i] = btcutil.NewTx(tx)
		txs[i].Hash() // which is kept
	}
	for _, n := range sizes(t, r) {
		if n == 0 { // of which btcd makes no tree
			if root, mutated := bitcoin.Root([][32]byte(nil)); root != [32]byte{} || mutated {
				t.Fatalf("no transactions: root %x, mutated %v", root, mutated)
			}
			continue
		}
		from := r.IntN(maxLeaves)
		checkBlock(t, "random transactions", txs[from:from+n], r.IntN(n))
	}
}

// folder returns where the module cache has a module that this one requires.
func folder(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		t.Fatalf("go list -m %s: %v", module, err)
	}
	return strings.TrimSpace(string(out))
}

// TestBitcoinOfBTCDsBlocks compares with the roots and the hashes in the real
// blocks that btcd tests with.
func TestBitcoinOfBTCDsBlocks(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(folder(t, "github.com/btcsuite/btcd"), "blockchain", "testdata", "*.dat*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of blocks, error %v", len(files), err)
	}
	read, most := 0, 0
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".bz2") {
			if data, err = io.ReadAll(bzip2.NewReader(bytes.NewReader(data))); err != nil {
				t.Fatal(err)
			}
		}
		// Each block has the magic number of its network and its length before it;
		// zeros may follow the last.
		var headers [][80]byte
		var hashes [][32]byte
		for len(data) > 8 && binary.LittleEndian.Uint32(data) == uint32(wire.MainNet) {
			n := binary.LittleEndian.Uint32(data[4:])
			if len(data) < 8+int(n) {
				t.Fatalf("%s: %v", name, io.ErrUnexpectedEOF)
			}
			block, err := btcutil.NewBlockFromBytes(data[8 : 8+n])
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			headers, hashes = append(headers, [80]byte(data[8:])), append(hashes, *block.Hash())
			data = data[8+n:]
			txs := block.Transactions()
			if root := checkBlock(t, name, txs, len(txs)-1); chainhash.Hash(root) != block.MsgBlock().Header.MerkleRoot {
				t.Errorf("%s: a block of %d transactions: root %x, its header says %v", name, len(txs), root, block.MsgBlock().Header.MerkleRoot)
			}
			most = max(most, len(txs))
		}
		got := make([][32]byte, len(headers))
		bitcoin.HeaderHashes(got, headers)
		if !slices.Equal(got, hashes) {
			t.Errorf("%s: other hashes of headers than btcd's", name)
		}
		read += len(headers)
	}
	t.Logf("%d blocks of up to %d transactions", read, most)
	if read < 1000 || most < 100 {
		t.Error("too few blocks or transactions were found")
	}
}
