package main

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sha256-simd/sha256-simd/fleet/internal/storetest"
)

// A store that refuses everything for a quarter of a minute costs that time, and no
// object.
func TestOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	const objects = 300 // more than failures in a row end the work
	s := storetest.New(t)
	var names strings.Builder
	for i := range objects {
		key := fmt.Sprint(i)
		s.Put(key, []byte(key))
		fmt.Fprintln(&names, s.Name(key))
	}
	var mu sync.Mutex
	var began time.Time
	s.Faults(func(string, int) storetest.Fault {
		mu.Lock()
		defer mu.Unlock()
		if began.IsZero() {
			began = time.Now()
		}
		if time.Since(began) < 15*time.Second {
			return storetest.Fault{Status: http.StatusServiceUnavailable}
		}
		return storetest.Fault{}
	})
	c := exec.Command("fleetsum", "worker", "--progress", "never", "--format", "names")
	c.Env = append(os.Environ(), "FLEETSUM_STORE="+s.Params())
	c.Stdin = strings.NewReader(names.String())
	out, err := c.CombinedOutput()
	if want := fmt.Sprintf(`"new":%d`, objects); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s", err, out)
	}
}
