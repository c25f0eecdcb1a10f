package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestDbg(t *testing.T) {
	for _, k := range strings.Fields(os.Getenv("K")) {
		c := codeOf(t, k)
		var b strings.Builder
		for _, in := range c.ins {
			s := in.text
			if in.jumps() {
				s = in.op + fmt.Sprint(" ", in.args[len(in.args)-1].imm) + "   " + s
			}
			fmt.Fprintf(&b, "%d\t%s\n", in.addr, s)
		}
		os.WriteFile("/tmp/prove/list."+k, []byte(b.String()), 0644)
	}
}
