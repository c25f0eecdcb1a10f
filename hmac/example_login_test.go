package hmac_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/sha256-simd/sha256-simd/hmac"
)

// issue returns a token that names a user until it expires.
func issue(key *hmac.Key, user string, expires time.Time) string {
	claim := fmt.Sprintf("%d.%s", expires.Unix(), user)
	mac := key.Sum([]byte(claim))
	return base64.RawURLEncoding.EncodeToString(mac[:]) + "." + claim
}

// usersOf returns the user that each token names, or "" if a token is forged or has
// expired.
func usersOf(key *hmac.Key, tokens []string, now time.Time) []string {
	macs, claims := make([][]byte, len(tokens)), make([][]byte, len(tokens))
	for i, token := range tokens {
		text, claim, _ := strings.Cut(token, ".")
		if mac, err := base64.RawURLEncoding.Strict().DecodeString(text); err == nil {
			macs[i], claims[i] = mac, []byte(claim)
		}
	}
	ok := make([]bool, len(tokens))
	key.VerifyMany(ok, macs, claims)
	users := make([]string, len(tokens))
	for i, claim := range claims {
		seconds, user, _ := strings.Cut(string(claim), ".")
		expires, err := strconv.ParseInt(seconds, 10, 64)
		if ok[i] && err == nil && now.Unix() < expires {
			users[i] = user
		}
	}
	return users
}

// After a login, requests carry a token instead of the password. A gateway verifies the
// tokens of all waiting requests by one call.
func Example_loginServer() {
	key := hmac.NewKey([]byte("32 random bytes, kept in a vault"))
	now := time.Unix(1_800_000_000, 0)
	alice := issue(key, "alice", now.Add(time.Hour))
	bob := issue(key, "bob", now.Add(-time.Second))
	forged := strings.Replace(alice, "alice", "carol", 1)

	fmt.Printf("%q\n", usersOf(key, []string{alice, bob, forged}, now))
	// Output: ["alice" "" ""]
}
