package main

import (
	stdhmac "crypto/hmac"
	stdsha256 "crypto/sha256"
	"fmt"
	"sync"
	"testing"

	"github.com/xdg-go/scram"

	"github.com/sha256-simd/sha256-simd/pbkdf2"
)

// TestSCRAM has clients of another library, which derive their keys themselves, log in
// at a server that derives the stored ones by a pbkdf2.Server (RFC 7677).
func TestSCRAM(t *testing.T) {
	var keys pbkdf2.Server
	mac := func(key []byte, msg string) []byte {
		h := stdhmac.New(stdsha256.New, key)
		h.Write([]byte(msg))
		return h.Sum(nil)
	}
	server, err := scram.SHA256.NewServer(func(user string) (scram.StoredCredentials, error) {
		factors := scram.KeyFactors{Salt: "salt of 16 bytes" + user, Iters: 4096}
		salted, err := keys.Key("password of "+user, []byte(factors.Salt), factors.Iters, stdsha256.Size)
		if err != nil {
			return scram.StoredCredentials{}, err
		}
		stored := stdsha256.Sum256(mac(salted, "Client Key"))
		return scram.StoredCredentials{KeyFactors: factors, StoredKey: stored[:], ServerKey: mac(salted, "Server Key")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			user, right := fmt.Sprint("user", i), i%5 > 0
			password := "password of " + user
			if !right {
				password += "?"
			}
			c, err := scram.SHA256.NewClient(user, password, "")
			if err != nil {
				t.Error(err)
				return
			}
			client, conversation := c.NewConversation(), server.NewConversation()
			for said := ""; !client.Done(); {
				if said, err = client.Step(said); err != nil {
					break
				}
				if conversation.Done() {
					continue
				}
				if said, err = conversation.Step(said); err != nil {
					break
				}
			}
			if got := client.Valid() && conversation.Valid(); got != right {
				t.Errorf("%s with the right password %t: logged in %t, %v", user, right, got, err)
			}
		})
	}
	wg.Wait()
}
