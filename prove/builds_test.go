package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codesOf are the codes of all kernels in a build.
func codesOf(t *testing.T, b build) map[string]*code {
	t.Helper()
	p := programOf(t, b)
	codes := map[string]*code{}
	for _, k := range provable() {
		if k.Arch != b.arch {
			continue
		}
		c, err := p.kernel(k.Name)
		if err != nil {
			t.Fatal(err)
		}
		codes[k.Name] = c
	}
	return codes
}

// A form that no kernel has would be one that nothing compares with a CPU.
func TestFormsAreThoseOfKernels(t *testing.T) {
	left := map[string]map[string]bool{"amd64": maps.Clone(formsAMD64), "arm64": maps.Clone(formsARM64)}
	for _, b := range builds {
		for kernel, c := range codesOf(t, b) {
			for _, in := range c.ins {
				if in.calls() {
					continue
				}
				if forms := map[bool]map[string]bool{false: formsAMD64, true: formsARM64}[c.arm]; !forms[in.form] {
					t.Errorf("%s, %s: %s: the form is not known: %s", b, kernel, in, in.form)
				}
				delete(left[b.arch], in.form)
			}
		}
	}
	for arch, forms := range left {
		if len(forms) > 0 {
			t.Errorf("%s: no kernel has %s", arch, strings.Join(slices.Sorted(maps.Keys(forms)), "; "))
		}
	}
}

// Builds differ in addresses, and where the dynamic linker knows these. Codes that are
// proved once for several builds have no other difference.
func TestBuildsHaveTheSameCode(t *testing.T) {
	for _, b := range builds {
		if b == first(b.arch) {
			continue
		}
		codes, want := codesOf(t, b), codesOf(t, first(b.arch))
		differ := []string{}
		for _, kernel := range slices.Sorted(maps.Keys(codes)) {
			if !codes[kernel].same(want[kernel]) {
				differ = append(differ, kernel)
			}
		}
		// Plugins find variables and tables of the package in another table.
		if (len(differ) > 0) != (b.mode == "plugin") {
			t.Errorf("%s: %s/%s has other codes: %v", b, b.os, b.arch, differ)
		}
		t.Logf("%s/%s: %d of %d kernels are other codes", b, b.arch, len(differ), len(codes))
	}
}

// TestSameCode says what makes codes different.
func TestSameCode(t *testing.T) {
	c := codeOf(t, "x1_shani")
	for _, tt := range []struct {
		name   string
		change func(c *code)
	}{
		{"a register", func(c *code) { c.ins[1].args[1].reg ^= 1 }},
		{"an operation", func(c *code) { c.ins[1].op = "movq" }},
		{"a displacement in a table", func(c *code) {
			i := slices.IndexFunc(c.ins, func(in *instruction) bool { return in.op == "lea" && in.args[1].base == absolute })
			c.ins[i].args[1].disp += 4
		}},
		{"where a jump goes", func(c *code) {
			i := slices.IndexFunc(c.ins, func(in *instruction) bool { return in.jumps() })
			c.ins[i].args[0].imm++
		}},
		{"one more instruction", func(c *code) { c.ins = append(c.ins, c.ins[0]) }},
		{"a byte of a table", func(c *code) {
			c.tables = maps.Clone(c.tables)
			for name, data := range c.tables {
				c.tables[name] = slices.Clone(data)
				c.tables[name][0] ^= 1
				break
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := changed(t, c)
			if !c.same(d) {
				t.Fatal("a copy is another code")
			}
			if tt.change(d); c.same(d) {
				t.Error("they are the same")
			}
		})
	}
}

// TestResolve reads code that is not what a kernel has.
func TestResolve(t *testing.T) {
	const at = 0x1000
	p := &program{os: "linux", slots: map[int64]string{0x3000: "x_table"}, offsets: map[int64]bool{0x3008: true},
		sections: []section{{addr: 0x2000, size: 0x100, data: make([]byte, 0x100)}, {addr: 0x3000, size: 0x100, writable: true, data: make([]byte, 0x100)}},
		symbols:  []symbol{{"x_table", 0x2000, 32}, {"other", 0x2020, 32}, {"x_written", 0x3040, 32}, {"x_none", 0x5000, 32}, {moreStack, 0x4000, 16}}}
	arm := *p
	arm.arm = true
	windows := *p
	windows.os = "windows"
	for _, tt := range []struct {
		name string
		p    *program
		text string // instructions at 4 bytes each
		want string // of the code, or of the error
	}{
		{"a table", p, "lea rax,[rip+0xffc]", "lea rax,x_table+0"},
		{"a place in a table", p, "mov eax,DWORD PTR [rip+0x1004]", "mov eax,x_table+8"},
		{"the end of a table", p, "lea rax,[rip+0x101c]", "lea rax,x_table+32"},
		{"another table", p, "mov eax,DWORD PTR [rip+0x1020]", "other is no table of the kernel"},
		{"a table that is written", p, "lea rax,[rip+0x203c]", "not read-only"},
		{"a table that is nowhere", p, "lea rax,[rip+0x3ffc]", "in no section"},
		{"no symbol", p, "lea rax,[rip+0x6000]", "no symbol at"},
		{"the address of a table", p, "mov rax,QWORD PTR [rip+0x1ffc]", "lea rax,x_table+0"},
		{"half the address of a table", p, "mov eax,DWORD PTR [rip+0x1ffc]", "no symbol at"},
		{"a jump", p, "je 0x1008; ret; ret", "je 2; ret; ret"},
		{"a jump to elsewhere", p, "jmp 0x1004", "it leaves the kernel"},
		{"a jump between two that are one", p, "mov rax,0xfffffffffffffff8; mov rax,QWORD PTR fs:[rax]; jmp 0x1004", "it leaves the kernel"},
		{"a call", p, "call 0x4000", "call " + moreStack},
		{"g", p, "mov rcx,QWORD PTR fs:0xfffffffffffffff8", "mov rcx,g"},
		{"g by a number", p, "mov rcx,0xfffffffffffffff8; mov rcx,QWORD PTR fs:[rcx]; ret", "mov rcx,g; ret"},
		{"g by a relocation", p, "mov rcx,QWORD PTR [rip+0x2004]; mov rcx,QWORD PTR fs:[rcx]", "mov rcx,g"},
		{"g by another register", p, "mov rcx,QWORD PTR [rip+0x2004]; mov rdx,QWORD PTR fs:[rcx]", "no symbol at"},
		{"g of another segment", p, "mov rcx,QWORD PTR gs:0xfffffffffffffff8", "mov rcx,gs:"},
		{"g of Windows", &windows, "mov rcx,QWORD PTR [rip+0x2004]; mov rcx,QWORD PTR gs:[rcx]; mov rcx,QWORD PTR [rcx]; ret", "mov rcx,g; ret"},
		{"a page and an offset", &arm, "adrp x3, 0x2000; add x3, x3, #0x8", "adr x3,x_table+8"},
		{"a page and another register", &arm, "adrp x3, 0x2000; add x4, x4, #0x8", "adrp x3,8192; add x4,x4,8"},
		{"a page and an address there", &arm, "adrp x27, 0x3000; ldr x3, [x27]", "adr x3,x_table+0,x27"},
		{"padding", p, "ret; int3; int3", "ret"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var dump strings.Builder
			n := at
			for s := range strings.SplitSeq(tt.text, "; ") {
				dump.WriteString(" " + hexOf(n) + ":\t" + s + "\n")
				n += 4
			}
			dump.WriteString(" " + hexOf(n) + ":\tint3\n")
			if tt.p.arm {
				dump.WriteString(" " + hexOf(n+4) + ":\tudf #0\n")
			}
			ins, err := parse(dump.String(), tt.p.arm)
			if err != nil {
				t.Fatal(err)
			}
			if tt.p.arm {
				ins = ins[:len(ins)-2]
			}
			c, err := tt.p.resolve("x", ins)
			got := ""
			if err != nil {
				got = err.Error()
			} else {
				for i, in := range c.ins {
					if i > 0 {
						got += "; "
					}
					got += written(in)
				}
			}
			if err == nil && got != tt.want && !strings.HasSuffix(tt.want, ":") || !strings.Contains(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func hexOf(n int) string { return strconv.FormatInt(int64(n), 16) }

// written is an instruction of code, as the table above writes it.
func written(in *instruction) string {
	args := make([]string, len(in.args))
	for i, o := range in.args {
		_, text, _ := strings.Cut(in.text, " ")
		parts := split(strings.Split(text, ";")[0])
		switch {
		case o.base == current:
			args[i] = "g"
		case o.symbol != "" && o.kind == 'm':
			args[i] = fmt.Sprintf("%s+%d", o.symbol, o.disp)
		case o.symbol != "":
			args[i] = o.symbol
		case o.segment != "":
			args[i] = o.segment + ":"
		case o.kind == 'i':
			args[i] = fmt.Sprint(o.imm)
		case o.kind == 'r' && i < len(parts) && !strings.Contains(in.text, "ldr"):
			args[i] = parts[i]
		default:
			args[i] = fmt.Sprintf("x%d", o.reg)
		}
	}
	return strings.TrimSpace(in.op + " " + strings.Join(args, ","))
}
