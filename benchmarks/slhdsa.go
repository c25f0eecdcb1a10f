package main

import (
	"bytes"
	stdsha256 "crypto/sha256"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/cloudflare/circl/sign/slhdsa"

	ours "github.com/sha256-simd/sha256-simd/slhdsa"
)

// signatures is SLH-DSA. The digests are of keys and signatures: so both implementations
// have to make the same.
func signatures() section {
	s := section{
		title: "Signatures",
		about: "SLH-DSA of FIPS 205 beside circl: to generate a key, to sign, to verify one signature and 64 of them. Both sign deterministically. " +
			"Of goroutines the base is the same signatures in turn: the ratio of CPU time is what they do not lose to each other, if the first ratio " +
			"shows that they ran at once.",
	}
	for set := ours.SHA2_128s; set <= ours.SHA2_256f; set++ {
		id, err := slhdsa.IDByName(set.String())
		must(err)
		p := slhSet{set, id}
		s.rows = append(s.rows, p.generate(), p.sign(), p.verify(1), p.verify(64))
		if set == ours.SHA2_128s || set == ours.SHA2_256s {
			s.rows = append(s.rows, p.signTogether(2))
		}
	}
	return s
}

// A slhSet is a parameter set, as both packages know it.
type slhSet struct {
	ours  ours.ParameterSet
	circl slhdsa.ID
}

func (p slhSet) row(operation string, signatures int, impls func() []impl) row {
	return row{
		bench: "SLHDSA", load: fmt.Sprintf("set=%s/%s", p.ours.String()[len("SLH-DSA-SHA2-"):], operation),
		digests: signatures, base: "circl", byCPU: true, impls: impls,
	}
}

// randomness returns the same random bytes for both.
func (p slhSet) randomness() *bytes.Reader {
	b := make([]byte, p.ours.PrivateKeySize())
	rand.NewChaCha8([32]byte{byte(p.ours)}).Read(b)
	return bytes.NewReader(b)
}

func (p slhSet) keys() (*ours.PrivateKey, slhdsa.PrivateKey) {
	key, err := ours.GenerateKey(p.ours, p.randomness())
	must(err)
	_, circl, err := slhdsa.GenerateKey(p.randomness(), p.circl)
	must(err)
	return key, circl
}

func (p slhSet) generate() row {
	return p.row("op=generate", 1, func() []impl {
		return []impl{
			{name: "sha256-simd", run: func(dst [][32]byte) {
				key, err := ours.GenerateKey(p.ours, p.randomness())
				must(err)
				dst[0] = stdsha256.Sum256(key.Bytes())
			}},
			{name: "circl", run: func(dst [][32]byte) {
				_, key, err := slhdsa.GenerateKey(p.randomness(), p.circl)
				must(err)
				b, err := key.MarshalBinary()
				must(err)
				dst[0] = stdsha256.Sum256(b)
			}},
		}
	})
}

func (p slhSet) sign() row {
	return p.row("op=sign", 1, func() []impl {
		key, circl := p.keys()
		message := random(100)
		options := &ours.Options{Deterministic: true}
		return []impl{
			{name: "sha256-simd", run: func(dst [][32]byte) {
				sig, err := key.Sign(nil, message, options)
				must(err)
				dst[0] = stdsha256.Sum256(sig)
			}},
			{name: "circl", run: func(dst [][32]byte) {
				sig, err := slhdsa.SignDeterministic(&circl, slhdsa.NewMessage(message), nil)
				must(err)
				dst[0] = stdsha256.Sum256(sig)
			}},
		}
	})
}

// signTogether has n goroutines sign on as many Ps.
func (p slhSet) signTogether(n int) row {
	r := p.row(fmt.Sprintf("op=sign/goroutines=%d", n), n, func() []impl {
		key, circl := p.keys()
		msgs := messages(same(n, 100)...)
		sign := func(i int) [32]byte {
			sig, err := key.Sign(nil, msgs[i], &ours.Options{Deterministic: true})
			must(err)
			return stdsha256.Sum256(sig)
		}
		together := func(sign func(i int) [32]byte) func(dst [][32]byte) {
			return func(dst [][32]byte) {
				var wg sync.WaitGroup
				for i := range dst {
					wg.Go(func() { dst[i] = sign(i) })
				}
				wg.Wait()
			}
		}
		return []impl{
			{name: "sha256-simd", run: together(sign)},
			{name: "in-turn", run: func(dst [][32]byte) {
				for i := range dst {
					dst[i] = sign(i)
				}
			}},
			{name: "circl", run: together(func(i int) [32]byte {
				sig, err := slhdsa.SignDeterministic(&circl, slhdsa.NewMessage(msgs[i]), nil)
				must(err)
				return stdsha256.Sum256(sig)
			})},
		}
	})
	r.base, r.procs = "in-turn", n
	return r
}

func (p slhSet) verify(n int) row {
	return p.row(fmt.Sprintf("op=verify/n=%d", n), n, func() []impl {
		key, circl := p.keys()
		public, circlPublic := key.Public().(*ours.PublicKey), circl.PublicKey()
		keys, msgs, sigs := make([]*ours.PublicKey, n), messages(same(n, 100)...), make([][]byte, n)
		for i := range keys {
			// More signatures than a few would take minutes to make.
			keys[i], msgs[i], sigs[i] = public, msgs[i%4], sigs[i%4]
			if i < 4 {
				sig, err := key.Sign(nil, msgs[i], nil)
				must(err)
				sigs[i] = sig
			}
		}
		return []impl{
			{name: "sha256-simd", run: func(dst [][32]byte) {
				for i, err := range ours.VerifyMany(keys, msgs, sigs, nil) {
					must(err)
					dst[i] = [32]byte{1}
				}
			}},
			{name: "circl", run: func(dst [][32]byte) {
				for i, sig := range sigs {
					if slhdsa.Verify(&circlPublic, slhdsa.NewMessage(msgs[i]), sig, nil) {
						dst[i] = [32]byte{1}
					}
				}
			}},
		}
	})
}
