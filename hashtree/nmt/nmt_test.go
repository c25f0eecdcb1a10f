package nmt

import (
	"bytes"
	"compress/gzip"
	stdsha256 "crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/sha256-simd/sha256-simd/hashtree/rfc6962"
	"github.com/sha256-simd/sha256-simd/internal/test/hashtest"
)

// TestBelow tests namespaces that differ in one byte or in two, at every position, beside
// bytes.Compare.
func TestBelow(t *testing.T) {
	values := []byte{0, 1, 0x7f, 0x80, 0xff}
	for i := range NamespaceSize {
		for j := range NamespaceSize {
			for k := range len(values) * len(values) {
				a, b := Namespace{10: 7, 20: 0x80}, Namespace{10: 7, 20: 0x80}
				a[i], b[j] = values[k%len(values)], values[k/len(values)]
				if got, want := a.below(&b), bytes.Compare(a[:], b[:]) < 0; got != want {
					t.Fatalf("%x below %x: %v", a, b, got)
				}
				if b = a; a.below(&b) {
					t.Fatalf("%x is below itself", a)
				}
			}
		}
	}
}

// A hexNode is a node in the 90 bytes of nmt, in hexadecimal.
type hexNode Node

func (n *hexNode) UnmarshalText(b []byte) error {
	p, err := hex.DecodeString(string(b))
	if err != nil {
		return err
	}
	node, err := ParseNode(p)
	*n = hexNode(node)
	return err
}

func TestNodesAreBytes(t *testing.T) {
	b := make([]byte, 91)
	for i := range b {
		b[i] = byte(i)
	}
	n, err := ParseNode(b[:90])
	if err != nil || n.Min != Namespace(b) || n.Max != Namespace(b[29:]) || n.Digest != [32]byte(b[58:]) || !bytes.Equal(n.Bytes(), b[:90]) {
		t.Errorf("%x, %v", n, err)
	}
	before := n
	clear(b)
	if clear(n.Bytes()); n != before {
		t.Error("the node shares memory with its bytes")
	}
	if n, err := ParseNode(b[:90]); err != nil || n != (Node{}) {
		t.Errorf("a node of zeros: %x, %v", n, err)
	}
	b[28] = 1 // above Max
	for _, tt := range []struct {
		size int
		want string
	}{
		{0, "nmt: a node of 0 bytes; expected 90"},
		{89, "nmt: a node of 89 bytes; expected 90"},
		{91, "nmt: a node of 91 bytes; expected 90"},
		{90, fmt.Sprintf("nmt: a node from namespace %x down to %x", Namespace{28: 1}, Namespace{})},
	} {
		if n, err := ParseNode(b[:tt.size]); err == nil || err.Error() != tt.want || n != (Node{}) {
			t.Errorf("%d bytes: %x, error %v, want %s", tt.size, n, err, tt.want)
		}
	}
}

// A treeOf says which leaves a tree of the vectors has.
type treeOf struct {
	N         int
	Rule      string `json:"ns_rule"`
	Size      int    `json:"ns_size"`
	Parity    int
	IgnoreMax bool `json:"ignore_max"`
}

func (v treeOf) options() Options { return Options{IgnoreMaxNamespace: v.IgnoreMax} }

// hides reports whether nodes of the tree hide leaves of a namespace. nmt makes and
// accepts proofs of it nevertheless.
func (v treeOf) hides(ns Namespace) bool {
	return v.IgnoreMax && ns == maxNamespace && v.N > v.Parity
}

// namespaceOf returns namespace i by a rule of the vectors.
func namespaceOf(t *testing.T, rule string, i int) (n Namespace) {
	t.Helper()
	switch rule {
	case "third":
		n[NamespaceSize-1] = byte(i / 3)
	case "gap":
		n[NamespaceSize-1] = byte(2*(i/3) + 1)
	case "same":
		for j := range n {
			n[j] = byte(j + 1)
		}
	case "wide":
		binary.BigEndian.PutUint64(n[NamespaceSize-8:], uint64(i)*0x00FEDCBA98765432)
	default:
		t.Fatalf("no rule is called %s", rule)
	}
	return n
}

func dataOf(i, n int) []byte {
	p := make([]byte, n)
	for j := range p {
		p[j] = byte(i*7 + j*13)
	}
	return p
}

// leaves returns the leaves of the tree, and their namespaces and data.
func (v treeOf) leaves(t *testing.T) ([]Node, []Namespace, [][]byte) {
	t.Helper()
	namespaces, data, nodes := make([]Namespace, v.N), make([][]byte, v.N), make([]Node, v.N)
	for i := range data {
		namespaces[i], data[i] = namespaceOf(t, v.Rule, i), dataOf(i, 512)
		if i >= v.N-v.Parity {
			namespaces[i] = maxNamespace
		}
	}
	if err := LeafHashes(nodes, namespaces, data); err != nil {
		t.Fatal(err)
	}
	return nodes, namespaces, data
}

func readJSON(t *testing.T, name string, v any) {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(r).Decode(v)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// A rangeProof is what nmt proved and what it said of that proof.
type rangeProof struct {
	Start, End      int
	Nodes           []hexNode
	Kind            string
	Namespace       string
	LeafHash        *hexNode `json:"leaf_hash"`
	Error           string
	VerifyInclusion *bool `json:"verify_inclusion"`
	VerifyNamespace *bool `json:"verify_namespace"`
	LeavesReturned  int   `json:"leaves_returned"`
}

type proofs struct {
	treeOf
	Root   hexNodeOf
	Proofs []rangeProof
}

// A hexNodeOf is a node of any size of namespaces.
type hexNodeOf string

func (n hexNodeOf) node(t *testing.T) Node {
	t.Helper()
	var h hexNode
	if err := h.UnmarshalText([]byte(n)); err != nil {
		t.Fatal(err)
	}
	return Node(h)
}

func TestTrees(t *testing.T) {
	var v struct {
		Trees []struct {
			treeOf
			Root           hexNodeOf
			RootKeepMax    hexNodeOf   `json:"root_keep_max"`
			RootIgnoreMax  hexNodeOf   `json:"root_ignore_max"`
			LeafHashes     []hexNodeOf `json:"leaf_hashes"`
			PostOrder      string      `json:"postorder_sha256"`
			PostOrderKeep  string      `json:"postorder_sha256_keep_max"`
			PostOrderIgnor string      `json:"postorder_sha256_ignore_max"`
		}
	}
	readJSON(t, "nmt.json.gz", &v)
	tested := 0
	for _, tt := range v.Trees {
		if tt.Size != NamespaceSize {
			continue
		}
		tested++
		leaves, _, _ := tt.leaves(t)
		for i, want := range tt.LeafHashes {
			if leaves[i] != want.node(t) {
				t.Fatalf("%+v: leaf %d is %x, want %s", tt.treeOf, i, leaves[i], want)
			}
		}
		for _, ignore := range []bool{false, true} {
			want, order := tt.RootKeepMax, tt.PostOrderKeep
			if ignore {
				want, order = tt.RootIgnoreMax, tt.PostOrderIgnor
			}
			if want == "" {
				want, order = tt.Root, tt.PostOrder
			}
			o := Options{IgnoreMaxNamespace: ignore}
			root, err := Root(leaves, o)
			if err != nil || root != want.node(t) {
				t.Errorf("%+v, %+v: root %x, %v, want %s", tt.treeOf, o, root, err, want)
			}
			h := stdsha256.New()
			postOrder(leaves, o, func(n Node) { h.Write(append(append(n.Min[:], n.Max[:]...), n.Digest[:]...)) })
			if got := hex.EncodeToString(h.Sum(nil)); got != order {
				t.Errorf("%+v, %+v: the digest of all nodes is %s, want %s", tt.treeOf, o, got, order)
			}
		}
	}
	if tested < 60 {
		t.Errorf("%d trees", tested)
	}
}

// postOrder calls f with all nodes of a tree, by the definition.
func postOrder(leaves []Node, o Options, f func(Node)) Node {
	switch len(leaves) {
	case 0:
		return EmptyRoot()
	case 1:
		f(leaves[0])
		return leaves[0]
	}
	split := splitOf(len(leaves))
	left, right := postOrder(leaves[:split], o, f), postOrder(leaves[split:], o, f)
	n := Node{Min: left.Min, Max: right.Max}
	if o.IgnoreMaxNamespace && right.Min == maxNamespace {
		n.Max = left.Max
	}
	msg := []byte{1}
	for _, child := range []Node{left, right} {
		msg = append(append(append(msg, child.Min[:]...), child.Max[:]...), child.Digest[:]...)
	}
	n.Digest = stdsha256.Sum256(msg)
	f(n)
	return n
}

func TestLeavesByLength(t *testing.T) {
	var v struct {
		Leaves struct {
			Digests map[string][]string `json:"ns_size"`
		} `json:"leaf_by_length"`
	}
	readJSON(t, "nmt.json.gz", &v)
	want := v.Leaves.Digests["29"]
	if len(want) != 131 {
		t.Fatalf("%d digests", len(want))
	}
	nodes, namespaces, leaves := make([]Node, len(want)), make([]Namespace, len(want)), make([][]byte, len(want))
	for n := range leaves {
		namespaces[n], leaves[n] = namespaceOf(t, "wide", 77), dataOf(3, n)
	}
	hashtest.ForEach(t, func(t *testing.T) {
		if err := LeafHashes(nodes, namespaces, leaves); err != nil {
			t.Fatal(err)
		}
		for i, n := range nodes {
			if got := hex.EncodeToString(n.Digest[:]); got != want[i] || n.Min != namespaces[i] || n.Max != namespaces[i] {
				t.Errorf("a leaf of %d bytes: %s, want %s", i, got, want[i])
			}
		}
	})
}

// Leaves of all lengths, some longer than what is copied, in some namespaces and in the
// highest, in three calls, against the definition.
func TestLeafHashes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const n = 2*leavesPerCall + 99
	namespaces, leaves, nodes := make([]Namespace, n), make([][]byte, n), make([]Node, n)
	for i := range leaves {
		namespaces[i][NamespaceSize-1] = byte(i / 9)
		if i > 2*leavesPerCall {
			namespaces[i] = maxNamespace
		}
		leaves[i] = dataOf(i, r.IntN(1+r.IntN(6000)))
	}
	if err := LeafHashes(nodes, namespaces, leaves); err != nil {
		t.Fatal(err)
	}
	for i, n := range nodes {
		msg := append(append([]byte{0}, namespaces[i][:]...), leaves[i]...)
		if n.Digest != stdsha256.Sum256(msg) || n.Min != namespaces[i] || n.Max != namespaces[i] {
			t.Fatalf("leaf %d of %d bytes is %x", i, len(leaves[i]), n)
		}
	}
}

// Empty leaves, which differ in their namespaces alone.
func TestEmptyLeaves(t *testing.T) {
	const n = 70
	namespaces, nodes := make([]Namespace, n), make([]Node, n)
	for i := range namespaces {
		namespaces[i][0] = byte(i)
	}
	hashtest.ForEach(t, func(t *testing.T) {
		if err := LeafHashes(nodes, namespaces, make([][]byte, n)); err != nil {
			t.Fatal(err)
		}
		for i, node := range nodes {
			if want := stdsha256.Sum256(append([]byte{0}, namespaces[i][:]...)); node.Digest != want {
				t.Errorf("empty leaf %d is %x, want %x", i, node.Digest, want)
			}
		}
	})
}

// Many trees of every size, and large ones, against the definition.
func TestRoots(t *testing.T) {
	var sizes [][2]int // trees and leaves
	for size := 1; size <= 70; size++ {
		sizes = append(sizes, [2]int{1, size}, [2]int{3, size}, [2]int{40, size})
	}
	sizes = append(sizes, [2]int{1500, 3}, [2]int{256, 256}, [2]int{3, 2047}, [2]int{2, 2048}, [2]int{2, 2049}, [2]int{1, 5000}, [2]int{1, 70_001})
	if testing.Short() {
		sizes = [][2]int{{1, 1}, {3, 2}, {40, 3}, {5, 7}, {1500, 3}, {1, 2048}, {2, 2049}}
	}
	for _, ignore := range []bool{false, true} {
		o := Options{IgnoreMaxNamespace: ignore}
		for _, s := range sizes {
			trees, size := s[0], s[1]
			leaves := make([]Node, trees*size)
			for i := range leaves {
				j := i % size
				binary.BigEndian.PutUint32(leaves[i].Min[NamespaceSize-4:], uint32(j/3))
				if j > size/2 {
					leaves[i].Min = maxNamespace
				}
				leaves[i].Max = leaves[i].Min
				binary.LittleEndian.PutUint32(leaves[i].Digest[:], uint32(i))
			}
			roots := make([]Node, trees)
			if err := Roots(roots, leaves, size, o); err != nil {
				t.Fatal(err)
			}
			for i, got := range roots {
				if want := postOrder(leaves[i*size:(i+1)*size], o, func(Node) {}); got != want {
					t.Fatalf("%d trees of %d leaves, %+v: root %d is %x, want %x", trees, size, o, i, got, want)
				}
			}
		}
	}
}

// checkProof compares a proof with the nodes of nmt's.
func checkProof(t *testing.T, got Proof, want rangeProof) {
	t.Helper()
	same := got.Start == want.Start && got.End == want.End && len(got.Nodes) == len(want.Nodes)
	for i := range want.Nodes {
		same = same && got.Nodes[i] == Node(want.Nodes[i])
	}
	same = same && (got.Absent == nil) == (want.LeafHash == nil) && (got.Absent == nil || *got.Absent == Node(*want.LeafHash))
	if !same {
		t.Errorf("proof %+v, want %+v", got, want)
	}
}

func TestRangeProofs(t *testing.T) {
	var v struct {
		Proofs []json.RawMessage `json:"range_proofs"`
	}
	readJSON(t, "nmt.json.gz", &v)
	tested := 0
	for _, raw := range v.Proofs {
		var tt proofs
		if size := new(treeOf); json.Unmarshal(raw, size) != nil || size.Size != NamespaceSize {
			continue
		}
		if err := json.Unmarshal(raw, &tt); err != nil {
			t.Fatal(err)
		}
		leaves, namespaces, data := tt.leaves(t)
		root := tt.Root.node(t)
		for _, want := range tt.Proofs {
			tested++
			t.Run(fmt.Sprintf("%+v/%d-%d", tt.treeOf, want.Start, want.End), func(t *testing.T) {
				got, err := ProveRange(leaves, want.Start, want.End, tt.options())
				if (err != nil) != (want.Error != "") {
					t.Fatalf("error %v, want %q", err, want.Error)
				}
				if err != nil {
					return
				}
				checkProof(t, got, want)
				ns, in := namespaces[want.Start], data[want.Start:want.End]
				if want.VerifyInclusion != nil {
					if err := got.VerifyInclusion(root, ns, in, tt.options()); (err == nil) != *want.VerifyInclusion {
						t.Errorf("VerifyInclusion: %v, want %v", err, *want.VerifyInclusion)
					}
				}
				if want.VerifyNamespace != nil {
					accepted := *want.VerifyNamespace && !tt.hides(ns)
					if err := got.VerifyNamespace(root, ns, in, tt.options()); (err == nil) != accepted {
						t.Errorf("VerifyNamespace: %v, want %v", err, *want.VerifyNamespace)
					}
				}
			})
		}
	}
	if tested < 40 {
		t.Errorf("%d proofs", tested)
	}
}

func TestNamespaceProofs(t *testing.T) {
	var v struct {
		Proofs []json.RawMessage `json:"namespace_proofs"`
	}
	readJSON(t, "nmt.json.gz", &v)
	tested := 0
	for _, raw := range v.Proofs {
		var tt proofs
		if size := new(treeOf); json.Unmarshal(raw, size) != nil || size.Size != NamespaceSize {
			continue
		}
		if err := json.Unmarshal(raw, &tt); err != nil {
			t.Fatal(err)
		}
		leaves, namespaces, data := tt.leaves(t)
		root := tt.Root.node(t)
		for _, want := range tt.Proofs {
			tested++
			t.Run(fmt.Sprintf("%+v/%s", tt.treeOf, want.Namespace), func(t *testing.T) {
				b, err := hex.DecodeString(want.Namespace)
				if err != nil {
					t.Fatal(err)
				}
				ns := Namespace(b)
				got, err := ProveNamespace(leaves, ns, tt.options())
				if tt.hides(ns) {
					if err != errHidden {
						t.Errorf("error %v, want %v", err, errHidden)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				checkProof(t, got, want)
				// What nmt returned beside the proof: all leaves of that namespace.
				var in [][]byte
				for i, d := range data {
					if namespaces[i] == ns {
						in = append(in, d)
					}
				}
				if len(in) != want.LeavesReturned {
					t.Fatalf("%d leaves, want %d", len(in), want.LeavesReturned)
				}
				if err := got.VerifyNamespace(root, ns, in, tt.options()); (err == nil) != *want.VerifyNamespace {
					t.Errorf("VerifyNamespace: %v, want %v", err, *want.VerifyNamespace)
				}
			})
		}
	}
	if tested < 40 {
		t.Errorf("%d proofs", tested)
	}
}

// TestNamespaceProofsOfRandomTrees compares ProveNamespace, which hashes no root, with the
// definition, which takes the lowest and the highest namespace from the root. Some leaves
// are inner nodes.
func TestNamespaceProofsOfRandomTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 42))
	trees := 3000
	if hashtest.Sanitized { // one goroutine: the race detector finds no more in more
		trees = 300
	}
	for range trees {
		leaves := make([]Node, r.IntN(40))
		low := byte(r.IntN(3))
		for i := range leaves {
			n := &leaves[i]
			n.Min[0], n.Digest[0] = low, byte(i)
			if r.IntN(3) == 0 {
				low += byte(r.IntN(3))
			}
			n.Max = n.Min
			if r.IntN(8) == 0 {
				n.Max[0] = low
			}
		}
		for i := r.IntN(2*len(leaves) + 1); i < len(leaves); i++ {
			leaves[i].Min, leaves[i].Max = maxNamespace, maxNamespace
		}
		if n := len(leaves); n > 0 && r.IntN(5) == 0 {
			leaves[n-1].Max = maxNamespace
		}
		for _, o := range []Options{{}, {IgnoreMaxNamespace: true}} {
			root, err := Root(leaves, o)
			if err != nil {
				t.Fatal(err)
			}
			for b := range 60 {
				ns := Namespace{byte(b)}
				if b == 59 {
					ns = maxNamespace
				}
				var want Proof
				var wantErr error
				start := slices.IndexFunc(leaves, func(n Node) bool { return !n.Min.below(&ns) })
				end := start
				for start >= 0 && end < len(leaves) && leaves[end].Min == ns {
					end++
				}
				switch {
				case len(leaves) == 0:
				case root.Min != maxNamespace && o.hides(ns):
					wantErr = errHidden
				case ns.below(&root.Min) || root.Max.below(&ns):
				case start < 0:
					_, wantErr = ProveRange(leaves, len(leaves), len(leaves)+1, o)
				case start < end:
					want, wantErr = ProveRange(leaves, start, end, o)
				default:
					want, wantErr = ProveRange(leaves, start, start+1, o)
					want.Absent = &leaves[start]
				}
				got, err := ProveNamespace(leaves, ns, o)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || !reflect.DeepEqual(got, want) {
					t.Fatalf("%d leaves from %x to %x, namespace %x, %+v: %+v, error %v, want %+v, %v",
						len(leaves), root.Min, root.Max, ns, o, got, err, want, wantErr)
				}
			}
		}
	}
}

// Whatever is changed in a proof, its leaves, its namespace or its root, is noticed.
func TestHostileProofs(t *testing.T) {
	for _, v := range []treeOf{{N: 13, Rule: "gap", IgnoreMax: true}, {N: 16, Rule: "gap", Parity: 8, IgnoreMax: true}, {N: 9, Rule: "gap"}} {
		leaves, namespaces, data := v.leaves(t)
		o := v.options()
		root, err := Root(leaves, o)
		if err != nil {
			t.Fatal(err)
		}
		between := namespaces[3]
		between[NamespaceSize-1]--
		for _, ns := range []Namespace{namespaces[0], namespaces[4], namespaces[7], between} {
			var in [][]byte
			for i, d := range data {
				if namespaces[i] == ns {
					in = append(in, d)
				}
			}
			good, err := ProveNamespace(leaves, ns, o)
			if err != nil {
				t.Fatal(err)
			}
			if err := good.VerifyNamespace(root, ns, in, o); err != nil {
				t.Fatalf("%x: %v", ns, err)
			}
			refused := func(what string, p Proof, root Node, ns Namespace, in [][]byte) {
				t.Helper()
				if err := p.VerifyNamespace(root, ns, in, o); err == nil {
					t.Errorf("%+v, %x: %s: the proof is accepted", v, ns, what)
				}
			}
			for bit := range 8 * nodeSize {
				bad := root
				flip(&bad, bit)
				refused(fmt.Sprintf("bit %d of the root", bit), good, bad, ns, in)
				for i := range good.Nodes {
					p := clone(good)
					flip(&p.Nodes[i], bit)
					refused(fmt.Sprintf("bit %d of node %d", bit, i), p, root, ns, in)
				}
				if good.Absent != nil {
					p := clone(good)
					flip(p.Absent, bit)
					refused(fmt.Sprintf("bit %d of the absence", bit), p, root, ns, in)
				}
			}
			for i := range in {
				p := append([][]byte(nil), in...)
				p[i] = append([]byte(nil), p[i]...)
				p[i][100] ^= 1
				refused("a leaf's data", good, root, ns, p)
				refused("a leaf less", good, root, ns, append(append([][]byte(nil), in[:i]...), in[i+1:]...))
			}
			refused("a leaf more", good, root, ns, append(append([][]byte(nil), in...), data[0]))
			for i := range good.Nodes {
				p := clone(good)
				p.Nodes = append(p.Nodes[:i], p.Nodes[i+1:]...)
				refused("a node less", p, root, ns, in)
				p = clone(good)
				p.Nodes = append(p.Nodes[:i+1], p.Nodes[i:]...)
				refused("a node twice", p, root, ns, in)
			}
			for _, by := range []int{math.MinInt / 2, -16, -1, 1, 16, math.MaxInt / 2} {
				p := clone(good)
				p.Start += by
				refused("another start", p, root, ns, in)
				p = clone(good)
				p.End += by
				refused("another end", p, root, ns, in)
				p.Start += by
				refused("another range", p, root, ns, in)
			}
			refused("an empty proof", Proof{}, root, ns, nil)
			other := ns
			other[0] ^= 1
			if len(in) > 0 {
				refused("another namespace", good, root, other, in)
				refused("no leaves", good, root, ns, nil)
			}
		}
	}
}

// TestCompleteness asks, for every small tree and every namespace in, between and around
// its leaves, which proofs hold: the proofs of all ranges, each leaf as the proof of an
// absence, and the empty proof. Only the whole truth does, and ProveNamespace has it.
func TestCompleteness(t *testing.T) {
	choices := []Namespace{{1}, {3}, {5}, maxNamespace}
	asked := append([]Namespace{{}, {2}, {4}, {6}}, choices...)
	var trees [][]Namespace
	for of := [][]Namespace{nil}; len(of) > 0; of = of[1:] {
		for _, ns := range choices {
			if n := len(of[0]); n == 0 || n < 6 && ns.Compare(of[0][n-1]) >= 0 {
				of = append(of, append(slices.Clone(of[0]), ns))
			}
		}
		trees = append(trees, of[0])
	}
	for _, namespaces := range trees {
		leaves, data, short := make([]Node, len(namespaces)), make([][]byte, len(namespaces)), ""
		for i, ns := range namespaces {
			data[i] = []byte{byte(i)}
			short += fmt.Sprintf(" %x", ns[:1])
		}
		if err := LeafHashes(leaves, namespaces, data); err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {IgnoreMaxNamespace: true}} {
			root, err := Root(leaves, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, ns := range asked {
				from, _ := slices.BinarySearchFunc(namespaces, ns, Namespace.Compare)
				to := from
				for to < len(namespaces) && namespaces[to] == ns {
					to++
				}
				hidden := o.IgnoreMaxNamespace && ns == maxNamespace && len(leaves) > 0 && namespaces[0] != maxNamespace
				check := func(what string, p Proof, in [][]byte, truth bool) {
					t.Helper()
					if err := p.VerifyNamespace(root, ns, in, o); (err == nil) != (truth && !hidden) {
						t.Errorf("leaves of%s, %+v, namespace %x: %s: error %v", short, o, ns[:1], what, err)
					}
				}
				for start := range leaves {
					for end := start + 1; end <= len(leaves); end++ {
						p, err := ProveRange(leaves, start, end, o)
						if err != nil {
							t.Fatal(err)
						}
						check(fmt.Sprintf("leaves %d to %d", start, end-1), p, data[start:end], start == from && end == to)
						// A leaf further on proves the same, if what is between is hidden.
						if end == start+1 && (start <= from || from < to) {
							p.Absent = &leaves[start]
							check(fmt.Sprintf("absence before leaf %d", start), p, nil, from == to && start == from)
						}
					}
				}
				outside := ns.Compare(root.Min) < 0 || ns.Compare(root.Max) > 0 || len(leaves) == 0
				check("the empty proof", Proof{}, nil, outside)
				check("the empty proof of a leaf", Proof{}, [][]byte{{0}}, false)
				switch p, err := ProveNamespace(leaves, ns, o); {
				case hidden && err != errHidden, !hidden && err != nil:
					t.Errorf("leaves of%s, %+v, namespace %x: ProveNamespace: error %v", short, o, ns[:1], err)
				case !hidden:
					check("ProveNamespace", p, data[from:to], true)
				}
			}
		}
	}
}

// TestProofsOutOfOrder has proofs of trees whose namespaces fall. Their digests are right.
func TestProofsOutOfOrder(t *testing.T) {
	data := [][]byte{{}}
	leaf := leafNodes(Namespace{2}, data)[0]
	for _, tt := range []struct {
		name    string
		beside  Node
		left    bool
		inOrder bool
	}{
		{"right of the leaf", Node{Min: Namespace{3}, Max: Namespace{3}}, false, true},
		{"right of the leaf, below it", Node{Min: Namespace{1}, Max: Namespace{3}}, false, false},
		{"right of the leaf, falling", Node{Min: Namespace{4}, Max: Namespace{3}}, false, false},
		{"left of the leaf", Node{Min: Namespace{1}, Max: Namespace{1}}, true, true},
		{"left of the leaf, above it", Node{Min: Namespace{1}, Max: Namespace{3}}, true, false},
		{"left of the leaf, falling", Node{Min: Namespace{1}, Max: Namespace{}}, true, false},
	} {
		p, left, right := Proof{End: 1, Nodes: []Node{tt.beside}}, leaf, tt.beside
		if tt.left {
			p.Start, p.End, left, right = 1, 2, right, left
		}
		var root Node
		Options{}.parent(&root, &[...]Node{left, right})
		if err := p.VerifyInclusion(root, Namespace{2}, data, Options{}); (err == nil) != tt.inOrder ||
			err != nil && !strings.HasPrefix(err.Error(), "nmt: proof: node ") {
			t.Errorf("%s: VerifyInclusion: %v", tt.name, err)
		}
		if err := p.VerifyNamespace(root, Namespace{2}, data, Options{}); (err == nil) != tt.inOrder {
			t.Errorf("%s: VerifyNamespace: %v", tt.name, err)
		}
	}
}

// TestAbsenceProvesNoInclusion has the proof of an absence for the leaf that it contains.
func TestAbsenceProvesNoInclusion(t *testing.T) {
	leaves, namespaces, data := treeOf{N: 6, Rule: "gap"}.leaves(t)
	root, err := Root(leaves, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := ProveNamespace(leaves, Namespace{NamespaceSize - 1: 2}, Options{})
	if err != nil || p.Start != 3 || p.Absent == nil {
		t.Fatalf("proof %+v, %v", p, err)
	}
	if p.VerifyInclusion(root, namespaces[3], data[3:4], Options{}) == nil {
		t.Error("the proof of an absence is accepted as a proof of inclusion")
	}
	p.Absent = nil
	if err := p.VerifyInclusion(root, namespaces[3], data[3:4], Options{}); err != nil {
		t.Error(err)
	}
}

// A proof has its own copy of the leaf that it contains.
func TestAbsenceKeepsItsLeaf(t *testing.T) {
	leaves, _, _ := treeOf{N: 6, Rule: "gap"}.leaves(t)
	p, err := ProveNamespace(leaves, Namespace{NamespaceSize - 1: 2}, Options{})
	if err != nil || p.Absent == nil {
		t.Fatalf("proof %+v, %v", p, err)
	}
	want := leaves[p.Start]
	clear(leaves)
	if *p.Absent != want {
		t.Errorf("when the leaves change, the proof has %x, not %x", *p.Absent, want)
	}
}

// Proofs of ranges for which the nodes do not suffice lead to the root without the
// leaves, if nothing counts them.
func TestProofsWithoutTheirLeaves(t *testing.T) {
	leaves := make([]Node, 5)
	if err := LeafHashes(leaves, make([]Namespace, len(leaves)), make([][]byte, len(leaves))); err != nil {
		t.Fatal(err)
	}
	root, err := Root(leaves, Options{})
	if err != nil {
		t.Fatal(err)
	}
	above := Namespace{1}
	for bit := range bits.UintSize - 1 {
		for _, start := range []int{1 << bit, 1<<bit - 1, 1<<bit + 1} {
			if start < 0 || start == math.MaxInt {
				continue
			}
			for _, nodes := range [][]Node{{root}, {leaves[0], root}, {root, leaves[0]}, {{}, root}} {
				p := Proof{Start: start, End: start + 1, Nodes: nodes}
				if p.VerifyInclusion(root, above, [][]byte{{1}}, Options{}) == nil {
					t.Errorf("inclusion of leaf %d with %d nodes is accepted", start, len(nodes))
				}
				if p.VerifyNamespace(root, above, [][]byte{{1}}, Options{}) == nil {
					t.Errorf("namespace of leaf %d with %d nodes is accepted", start, len(nodes))
				}
			}
		}
	}
}

// A proof of a leaf of a tree of a power of two holds for no other of its leaves.
func TestNumbersAreProved(t *testing.T) {
	for _, size := range []int{1, 2, 4, 8, 16, 32} {
		leaves, data := make([]Node, size), make([][]byte, size)
		for i := range data {
			data[i] = []byte{byte(i)}
		}
		if err := LeafHashes(leaves, make([]Namespace, size), data); err != nil {
			t.Fatal(err)
		}
		root, err := Root(leaves, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range size {
			p, err := ProveRange(leaves, i, i+1, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for start := range size {
				p.Start, p.End = start, start+1
				if err := p.VerifyInclusion(root, Namespace{}, data[i:i+1], Options{}); (err == nil) != (start == i) {
					t.Errorf("leaf %d of %d as number %d: %v", i, size, start, err)
				}
			}
		}
	}
}

func flip(n *Node, bit int) {
	both := [2]Node{*n}
	bytesOf(both[:])[bit/8] ^= 1 << (bit % 8)
	*n = both[0]
}

func clone(p Proof) Proof {
	p.Nodes = append([]Node(nil), p.Nodes...)
	if p.Absent != nil {
		absent := *p.Absent
		p.Absent = &absent
	}
	return p
}

func TestErrors(t *testing.T) {
	low, high := Namespace{1}, Namespace{2}
	dst := []Node{{Digest: [32]byte{1}}, {Digest: [32]byte{2}}}
	before := append([]Node(nil), dst...)
	out := []Node{{Min: high, Max: high}, {Min: low, Max: low}}
	inside := []Node{{Min: high, Max: low}}
	for _, tt := range []struct {
		name, want string
		err        error
	}{
		{"leaves", "nmt: namespace 01", LeafHashes(dst, []Namespace{high, low}, make([][]byte, 2))},
		{"nodes", "nmt: tree 0: node 1 begins with namespace 01", Roots(dst[:1], out, 2, Options{})},
		{"node", "nmt: tree 1: node 0 goes from namespace 02", Roots(dst, append([]Node{{}}, inside...), 1, Options{})},
		{"root", "nmt: node 1 begins", second(Root(out, Options{}))},
		{"proof", "nmt: node 1 begins", second(ProveRange(out, 0, 1, Options{}))},
		{"namespace proof", "nmt: node 1 begins with namespace 01", second(ProveNamespace(out, low, Options{}))},
		{"absence among nodes that are no leaves", "nmt: no leaves 1", second(ProveNamespace([]Node{{Max: high}}, low, Options{}))},
		{"range", "nmt: no leaves 1 to 2 in a tree of 2", second(ProveRange(dst, 1, 3, Options{}))},
		{"range before the first leaf", "nmt: no leaves -1 to 0 in a tree of 2", second(ProveRange(dst, -1, 1, Options{}))},
		{"empty range", "nmt: an empty range, with start 2 and end 2", second(ProveRange(dst, 2, 2, Options{}))},
		{"range that falls", "nmt: an empty range, with start 2 and end 0", second(ProveRange(dst, 2, 0, Options{}))},
		{"inclusion by an empty proof", "nmt: proof is of an empty range, with start 0 and end 0", Proof{}.VerifyInclusion(dst[0], low, [][]byte{nil}, Options{})},
		{"inclusion of too many leaves", "nmt: proof is of leaves 0 to 0; 2 leaves were given", Proof{End: 1}.VerifyInclusion(dst[0], low, [][]byte{nil, nil}, Options{})},
	} {
		if tt.err == nil || !strings.HasPrefix(tt.err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, tt.err, tt.want)
		}
	}
	if dst[0] != before[0] || dst[1] != before[1] {
		t.Error("an error left nodes changed")
	}
}

func second[T any](_ T, err error) error { return err }

// TestMisusePanics tests lists that are shorter or longer than they may be.
func TestMisusePanics(t *testing.T) {
	nodes := func(n int) []Node { return make([]Node, n) }
	leafHashes := func(dst, namespaces, leaves int) func() {
		return func() { LeafHashes(nodes(dst), make([]Namespace, namespaces), make([][]byte, leaves)) }
	}
	roots := func(dst, leaves, size int) func() {
		return func() { Roots(nodes(dst), nodes(leaves), size, Options{}) }
	}
	square := func(rows, cols, shares, width int) func() {
		return func() { Square(nodes(rows), nodes(cols), make([][]byte, shares), width) }
	}
	for name, f := range map[string]func(){
		"LeafHashes: too few nodes":       leafHashes(1, 2, 2),
		"LeafHashes: too many nodes":      leafHashes(3, 2, 2),
		"LeafHashes: too few namespaces":  leafHashes(2, 1, 2),
		"LeafHashes: too many namespaces": leafHashes(2, 3, 2),
		"LeafHashes: no leaves":           leafHashes(1, 1, 0),
		"Roots: size 0":                   roots(0, 0, 0),
		"Roots: size -1":                  roots(0, 0, -1),
		"Roots: half a tree":              roots(2, 5, 2),
		"Roots: too few roots":            roots(2, 6, 2),
		"Roots: too many roots":           roots(4, 6, 2),
		"Square: width 0":                 square(0, 0, 0, 0),
		"Square: width -2":                square(0, 0, 0, -2),
		"Square: odd width":               square(3, 3, 9, 3),
		"Square: too few rows":            square(3, 4, 16, 4),
		"Square: too many rows":           square(5, 4, 16, 4),
		"Square: too few columns":         square(4, 3, 16, 4),
		"Square: too many columns":        square(4, 5, 16, 4),
		"Square: too few shares":          square(4, 4, 15, 4),
		"Square: a row too few":           square(4, 4, 12, 4),
		"Square: a share too many":        square(4, 4, 17, 4),
		"Square: a row too many":          square(4, 4, 20, 4),
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if p, ok := recover().(string); !ok || !strings.HasPrefix(p, "nmt: ") {
					t.Errorf("panic %v", p)
				}
			}()
			f()
		})
	}
}

// TestLargestTree verifies the last leaf of the largest tree that a proof may be of, and
// refuses the one behind it.
func TestLargestTree(t *testing.T) {
	leaves := leafNodes(Namespace{}, [][]byte{nil})
	p := Proof{Start: maxEnd - 1, End: maxEnd}
	root := leaves[0]
	for range bits.Len(uint(p.Start)) { // from the leaf up: all nodes are left of it
		p.Nodes = append(p.Nodes, leaves[0])
		Options{}.parent(&root, &[...]Node{leaves[0], root})
	}
	if err := p.VerifyInclusion(root, Namespace{}, [][]byte{nil}, Options{}); err != nil {
		t.Error(err)
	}
	p.Start, p.End = maxEnd, maxEnd+1
	if err := p.VerifyInclusion(root, Namespace{}, [][]byte{nil}, Options{}); err == nil || !strings.Contains(err.Error(), "there are at most") {
		t.Errorf("a leaf behind the last possible one: %v", err)
	}
}

// TestNothingIsIncluded tests that no proof proves the inclusion of no leaves.
func TestNothingIsIncluded(t *testing.T) {
	leaves := leafNodes(Namespace{}, [][]byte{{1}, {2}, {3}})
	root, err := Root(leaves, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for at := range 4 {
		for _, nodes := range [][]Node{nil, {root}, leaves} {
			if err := (Proof{Start: at, End: at, Nodes: nodes}).VerifyInclusion(root, Namespace{}, nil, Options{}); err == nil {
				t.Errorf("leaves %d to %d, %d nodes: no error", at, at, len(nodes))
			}
		}
	}
}

func TestNoLeaves(t *testing.T) {
	root, err := Root(nil, Options{})
	if err != nil || root != EmptyRoot() {
		t.Errorf("%x, %v", root, err)
	}
	if err := LeafHashes(nil, nil, nil); err != nil {
		t.Error(err)
	}
	for _, size := range []int{5, math.MaxInt} {
		if err := Roots(nil, nil, size, Options{}); err != nil {
			t.Error(err)
		}
	}
}

type squareCase struct {
	What, Rule string
	Width      int
	ShareSize  int         `json:"share_size"`
	EDS        []string    `json:"eds_hex"`
	Parity     string      `json:"parity_base64"`
	ODS        string      `json:"ods_base64"`
	Leaves     []string    `json:"leaf_digest"`
	Rows       []hexNodeOf `json:"row_roots"`
	Cols       []hexNodeOf `json:"col_roots"`
	DataRoot   string      `json:"data_root"`
}

// shares returns the extended square, or nil if the vectors do not have it.
func (c squareCase) shares(t *testing.T) [][]byte {
	t.Helper()
	width := 2 * c.Width
	shares := make([][]byte, width*width)
	if c.EDS != nil {
		for i, s := range c.EDS {
			var err error
			if shares[i], err = hex.DecodeString(s); err != nil {
				t.Fatal(err)
			}
		}
		return shares
	}
	if c.Parity == "" {
		return nil
	}
	parity, err := base64.StdEncoding.DecodeString(c.Parity)
	if err != nil {
		t.Fatal(err)
	}
	ods, err := base64.StdEncoding.DecodeString(c.ODS)
	if err != nil {
		t.Fatal(err)
	}
	for i := range shares {
		row, col := i/width, i%width
		from := &parity
		if row < c.Width && col < c.Width {
			if from = &ods; c.ODS == "" {
				number := row*c.Width + col
				ns := namespaceOf(t, c.Rule, number)
				shares[i] = append(ns[:], dataOf(number, c.ShareSize)[NamespaceSize:]...)
				continue
			}
		}
		shares[i], *from = (*from)[:c.ShareSize], (*from)[c.ShareSize:]
	}
	return shares
}

func TestSquares(t *testing.T) {
	var v struct{ Cases, Known []squareCase }
	readJSON(t, "square.json.gz", &v)
	tested := 0
	for _, tt := range append(v.Cases, v.Known...) {
		shares := tt.shares(t)
		if shares == nil {
			continue
		}
		tested++
		width := 2 * tt.Width
		name := fmt.Sprintf("width %d, shares of %d bytes, %s%s", tt.Width, tt.ShareSize, tt.Rule, tt.What)
		rows, cols := make([]Node, width), make([]Node, width)
		if err := Square(rows, cols, shares, width); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var roots [][]byte
		for i := range width {
			if rows[i] != tt.Rows[i].node(t) {
				t.Errorf("%s: row root %d is %x, want %s", name, i, rows[i], tt.Rows[i])
			}
			if cols[i] != tt.Cols[i].node(t) {
				t.Errorf("%s: column root %d is %x, want %s", name, i, cols[i], tt.Cols[i])
			}
		}
		for _, nodes := range [][]Node{rows, cols} {
			for _, n := range nodes {
				roots = append(roots, n.Bytes())
			}
		}
		// Celestia's data root: the tree of RFC 6962 over both.
		if root := rfc6962.Root(roots); hex.EncodeToString(root[:]) != tt.DataRoot {
			t.Errorf("%s: data root %x, want %s", name, root, tt.DataRoot)
		}
	}
	if tested < 10 {
		t.Errorf("%d squares", tested)
	}
}

// TestSquaresOfManyGroups tests squares whose rows and columns are hashed several at a
// time, the last time fewer, beside a tree for each row and each column.
func TestSquaresOfManyGroups(t *testing.T) {
	for _, width := range []int{2, 6, 50, 72, 150} {
		shares := make([][]byte, width*width)
		namespaces := make([]Namespace, len(shares))
		for i := range shares {
			row, col := i/width, i%width
			shares[i] = hashtest.Data(40 + i%7)
			namespaces[i] = maxNamespace
			if row < width/2 && col < width/2 {
				namespaces[i] = Namespace{0, byte((row + col) >> 4), NamespaceSize - 1: byte(row + col)}
				copy(shares[i], namespaces[i][:])
			}
		}
		rows, cols := make([]Node, width), make([]Node, width)
		if err := Square(rows, cols, shares, width); err != nil {
			t.Fatalf("width %d: %v", width, err)
		}
		root := func(at func(i int) int) Node {
			leaves := make([]Node, width)
			for i := range leaves {
				ns := namespaces[at(i)]
				leaves[i] = Node{Min: ns, Max: ns, Digest: stdsha256.Sum256(append(append([]byte{0}, ns[:]...), shares[at(i)]...))}
			}
			n, err := Root(leaves, Options{IgnoreMaxNamespace: true})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for i := range width {
			if want := root(func(j int) int { return i*width + j }); rows[i] != want {
				t.Fatalf("width %d: row %d: %x, want %x", width, i, rows[i], want)
			}
			if want := root(func(j int) int { return j*width + i }); cols[i] != want {
				t.Fatalf("width %d: column %d: %x, want %x", width, i, cols[i], want)
			}
		}
	}
}

func TestSquareErrors(t *testing.T) {
	shares := make([][]byte, 16)
	fresh := func() [][]byte {
		for i := range shares {
			ns := namespaceOf(t, "third", i)
			shares[i] = append(ns[:], make([]byte, 35)...)
		}
		return shares
	}
	for _, tt := range []struct {
		name   string
		change func(shares [][]byte)
		want   string
	}{
		{"row", func(s [][]byte) { s[1][0], s[5][0] = 1, 2; s[0][0] = 2; s[4][0] = 2 }, "nmt: row 0: namespace "},
		{"column", func(s [][]byte) { s[0][0], s[1][0], s[5][0] = 1, 2, 2 }, "nmt: column 0: namespace "},
		{"short share", func(s [][]byte) { s[5] = s[5][:28] }, "nmt: share in row 1, column 1 has 28 bytes"},
	} {
		rows, cols := make([]Node, 4), make([]Node, 4)
		s := fresh()
		tt.change(s)
		if err := Square(rows, cols, s, 4); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want %s", tt.name, err, tt.want)
		}
		if rows[0] != (Node{}) || cols[0] != (Node{}) {
			t.Errorf("%s: an error left roots", tt.name)
		}
	}
	// A share may be its namespace alone. Parity shares may be of any length and bytes.
	s := fresh()
	s[5] = s[5][:29]
	s[15] = nil
	if err := Square(make([]Node, 4), make([]Node, 4), s, 4); err != nil {
		t.Error(err)
	}
}

// TestNothingIsRetained has trees that are hashed as rows and, three of an odd size, pair
// by pair. Small trees find the scratch as large trees left it.
func TestNothingIsRetained(t *testing.T) {
	for _, size := range []int{301, 5} {
		hashtest.NothingRetained(t, func() map[string]weak.Pointer[byte] {
			namespaces, data, nodes := make([]Namespace, 3*size), make([][]byte, 3*size), make([]Node, 3*size)
			for i := range data {
				data[i] = make([]byte, 100)
			}
			if err := LeafHashes(nodes, namespaces, data); err != nil {
				t.Fatal(err)
			}
			roots := make([]Node, 3)
			if err := Roots(roots, nodes, size, Options{}); err != nil {
				t.Fatal(err)
			}
			return map[string]weak.Pointer[byte]{
				"a leaf":         weak.Make(&data[size][0]),
				"the namespaces": weak.Make(&namespaces[0][0]),
				"the nodes":      weak.Make(&nodes[0].Min[0]),
				"the roots":      weak.Make(&roots[0].Min[0]),
			}
		})
	}
}

func TestAllocations(t *testing.T) {
	hashtest.SkipTestAllocations(t)
	leaves, _, data := treeOf{N: 256, Rule: "third", Parity: 128}.leaves(t)
	namespaces := make([]Namespace, len(data))
	roots, nodes := make([]Node, 256), make([]Node, len(data))
	for _, size := range []int{1, 2, 3, 5, 85, 255, 256} {
		if n := testing.AllocsPerRun(20, func() { Roots(roots[:256/size], leaves[:256/size*size], size, Options{}) }); n > 0 {
			t.Errorf("Roots of trees of %d leaves allocates %v times", size, n)
		}
	}
	if n := testing.AllocsPerRun(20, func() { LeafHashes(nodes, namespaces, data) }); n > 2 {
		t.Errorf("LeafHashes allocates %v times", n)
	}
}
