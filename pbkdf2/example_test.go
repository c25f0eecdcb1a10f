package pbkdf2_test

import (
	"crypto/hmac"
	stdsha256 "crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/sha256-simd/sha256-simd/pbkdf2"
)

func ExampleKey() {
	key, err := pbkdf2.Key("correct horse", []byte("a random salt of 16+ bytes"), 600_000, 32)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n", key)
	// Output: 59cc3225ffb097aa5e25a18ae6c872d39a02ef9152ddbad6fe33b8e7e5fd33a7
}

// A list of passwords is imported: their keys are computed side by side.
func ExampleSumMany() {
	passwords := [][]byte{[]byte("correct horse"), []byte("battery staple")}
	salts := [][]byte{[]byte("the first random salt"), []byte("the second random salt")}
	keys := make([][32]byte, len(passwords))
	if err := pbkdf2.SumMany(keys, passwords, salts, []int{4096, 10_000}); err != nil {
		panic(err)
	}
	for _, key := range keys {
		fmt.Printf("%x\n", key)
	}
	// Output:
	// 4447be62a86d3e81180073bb0e59489cb366e1a6654c5fa65ddfdd3a1bac61b1
	// 20edcbe5eca00157917ebef69db008a788389ff007eddf6671c2d22f2462e077
}

// Every login has a goroutine, and those that come at the same time share the lanes.
func ExampleServer() {
	var server pbkdf2.Server // one for the whole program
	salt, stored := []byte("a random salt of 16+ bytes"), make([]byte, 0, 32)
	if key, err := server.Key("correct horse", salt, 4096, 32); err == nil {
		stored = append(stored, key...)
	}

	var wg sync.WaitGroup
	var mu sync.Mutex
	for _, password := range []string{"correct horse", "wrong horse"} {
		wg.Go(func() {
			key, err := server.Key(password, salt, 4096, 32)
			mu.Lock()
			defer mu.Unlock()
			fmt.Println(password, err == nil && subtle.ConstantTimeCompare(key, stored) == 1)
		})
	}
	wg.Wait()
	// Unordered output:
	// correct horse true
	// wrong horse false
}

// A server of SCRAM-SHA-256 (RFC 5802, RFC 7677) checks the proof of RFC 7677, section 3.
func ExampleServer_Key() {
	var server pbkdf2.Server
	salt, err := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	if err != nil {
		panic(err)
	}
	salted, err := server.Key("pencil", salt, 4096, stdsha256.Size)
	if err != nil {
		panic(err)
	}

	mac := func(key []byte, msg string) []byte {
		h := hmac.New(stdsha256.New, key)
		h.Write([]byte(msg))
		return h.Sum(nil)
	}
	const messages = "n=user,r=rOprNGfwEbeRWgbNEkqO," +
		"r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096," +
		"c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
	clientKey := mac(salted, "Client Key")
	storedKey := stdsha256.Sum256(clientKey)
	proof := mac(storedKey[:], messages)
	subtle.XORBytes(proof, proof, clientKey)
	fmt.Println("p=" + base64.StdEncoding.EncodeToString(proof))
	fmt.Println("v=" + base64.StdEncoding.EncodeToString(mac(mac(salted, "Server Key"), messages)))
	// Output:
	// p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=
	// v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=
}
