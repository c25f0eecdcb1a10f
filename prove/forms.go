package main

import "strings"

// The forms of instructions that are modelled: those that kernels have. Each is written as
// operand.form does: r32 is a general register of 32 bits, v128.4 a vector of 128 bits in
// lanes of 4 bytes, m64 memory of 64 bits, i an immediate. Tests compare each form with a
// CPU or an emulator, except those that assumption 2 of docs/proof.md leaves out. They fail
// if no kernel has the form.
var (
	formsAMD64 = listed(`
add, or       r32,r32  r64,r64
add, and, sub r64,i
sub           r64,r64 r64,m64
add           r32,i r32,m32 r64,m64
and           r32,i r32,r32 r64,r64
xor           r32,i r32,r32
cmp           r32,i r64,i r64,r64 r64,m64 m8,i m32,i m64,i
test          r32,i r32,r32 r64,r64
dec           r32 r64 m64
inc           r32 r64
neg, push, pop, bswap r64
shl, shr      r32,i r64,i
shl           r64,r8
shlx          r64,r64,r64
bzhi          r32,r32,r32 r64,r64,r64
ror           r32,i
rorx          r32,r32,i
imul          r64,r64,i r64,r64
btc, movabs   r64,i
mov           r32,i r64,i r32,r32 r32,m32 r64,r64 r64,m64 m8,r8 m16,r16 m32,r32 m64,r64
movzx         r32,m8 r32,m16
lea           r32,m r64,m
xchg, cmovae, cmovb, cmove r64,r64
prefetcht0    m8
kmovw         k,r32 r32,k
kmovd         k,r32
kmovq         k,r64
knotw         k,k
ret, vzeroupper
jmp, jb, jbe, je, jne, jl, jle, jge label

movdqa        v128,v128 v128,m128 m128,v128
movdqu        v128,m128 m128,v128
movq          r64,v128 v128,r64 v128,m64
movhps        v128,m64
movss         v128,m32
movmskps      r32,v128
paddd, sha256msg1, sha256msg2, pshufb v128,v128 v128,m128
pand, por, pxor, punpckldq, punpckhdq, punpcklqdq, punpckhqdq v128,v128
pcmpgtd       v128,m128
pslld, psrld, psrlq v128,i
pshufd        v128,v128,i
palignr       v128,v128,i v128,m128,i
sha256rnds2   v128,v128,v128

vmovdqa32     v256,v256 v512,v512
vmovdqu       v128,m128 v256,m256 m128,v128 m256,v256
vmovdqu32     v128,v128 v128,m128 v256,m256 v512,m512 m128,v128 m256,v256 m512,v512
vmovdqu8      v128{k},m128 v128{k}{z},m128 v512{k}{z},m512 v512{k},v512 m256{k},v256
vmovdqa64     v512,v512
vmovdqu64     v256,m256 v512,m512 m256,v256 m512,v512
vmovmskps     r32,v128 r32,v256
vpaddd        v128,v128,v128 v256,v256,v256 v512,v512,v512 v128,v128,m128 v256,v256,m256 v512,v512,m512
vpaddd        v256,v256,m32broadcast v512,v512,m32broadcast
vpsubd        v512,v512,v512
vpand         v128,v128,v128 v256,v256,v256
vpxor         v128,v128,v128 v256,v256,v256 v256,v256,m256
vpxord        v256,v256,m256 v512,v512,m512
vpxorq, vporq v512,v512,v512
vpcmpgtd      v128,v128,m128 v256,v256,m256 k,v512,m512
vpternlogd    v128,v128,v128,i v256,v256,v256,i v512,v512,v512,i
vprord        v128,v128,i v256,v256,i v512,v512,i
vpslld, vpsrlq v128,v128,i v256,v256,i
vpsrld        v128,v128,i v256,v256,i v512,v512,i
vpshufd       v128,v128,i v256,v256,i v256{k}{z},v256,i
vpshufb       v128,v128,v128 v128,v128,m128 v256,v256,v256 v256,v256,m256 v512,v512,m512
vpalignr      v128,v128,v128,i v256,v256,v256,i
vpunpckldq, vpunpckhdq, vpunpcklqdq, vpunpckhqdq v128,v128,v128 v256,v256,v256 v512,v512,v512
vbroadcastss  v128,m32
vpbroadcastd  v256,m32 v512,m32
vpbroadcastb  v512,r32
vpbroadcastq  v512{k},r64
vbroadcasti128 v256,m128
vbroadcasti32x4 v256,m128 v512,m128
vinserti128   v256,v256,m128,i
vinserti32x4  v256,v256,v128,i v256,v256,m128,i v512,v512,m128,i
vinserti64x4  v512,v512,m256,i
vextracti128, vextracti32x4 m128,v256,i
vextracti64x4 m256,v512,i
vshufi32x4    v512,v512,v512,i v512,v512,m512,i
vpermt2q      v512,v512,v512
`)
	formsARM64 = listed(`
add           r64,r64,i r64,r64,r64 r64,r64,r64,l
sub           r64,r64,i r64,r64,r64 r64,r64,r64,l
and, eor, orr, lsl, lsr r64,r64,i
orr           r64,r64,r64,l
lsl           r64,r64,r64
madd          r64,r64,r64,r64
cmp           r64,i r64,r64
csel          r64,r64,r64,c
rev           r64,r64
mov           r64,i r64,r64 r32,v128.4 r64,v128.8
adr           r64,m r64,m,r64
ldr, ldur, stur r32,m r64,m
str           r32,m r64,m r64,m!
ldrb, ldurb, ldrh, strb, sturb, strh r32,m
stp           r64,r64,m
prfm          i,m
ret
b, b.cc, b.ls, b.le, b.lt label
cbz, cbnz     r64,label
tbz, tbnz     r32,i,label r64,i,label

ldr, ldur     v128,m
str           v64,m v128,m
ldp, stp      v128,v128,m
mov           v128.1,v128.1
dup           v128.4,r32 v128.4,v128.4 v128.8,v128.8
add, umin, cmeq v128.4,v128.4,v128.4
and, eor, bit, bsl v128.1,v128.1,v128.1
shl, ushr, usra v128.4,v128.4,i
addv          v32,v128.4
rev32         v128.1,v128.1
zip1, zip2    v128.4,v128.4,v128.4 v128.8,v128.8,v128.8
sha256h, sha256h2 v128,v128,v128.4
sha256su0     v128.4,v128.4
sha256su1     v128.4,v128.4,v128.4
`)
)

// listed reads lines of names, with commas between, and of forms that each of them has.
func listed(lines string) map[string]bool {
	forms := map[string]bool{}
	for line := range strings.Lines(lines) {
		var names []string
		rest := strings.Fields(line)
		for more := true; more && len(rest) > 0; rest = rest[1:] {
			name, comma := strings.CutSuffix(rest[0], ",")
			names, more = append(names, name), comma
		}
		for _, name := range names {
			if len(rest) == 0 {
				forms[name] = true
			}
			for _, f := range rest {
				forms[name+" "+f] = true
			}
		}
	}
	return forms
}
