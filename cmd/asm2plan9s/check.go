package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A finding is the report on an instruction whose line does not have the
// assembler's bytes.
type finding struct {
	text string

	// isEquivalent says that the line has another encoding of the instruction.
	isEquivalent bool
}

// check compares each instruction's words with the assembler's bytes, and what
// both disassemble to where they differ. Without a disassembler all that differ
// are different.
func (t *toolchain) check(ctx context.Context, s *source) (map[*instruction]finding, error) {
	findings := make(map[*instruction]finding)
	var unequal []*instruction // with bytes that can be disassembled
	var pieces [][]byte        // of each, the assembler's and the line's
	for _, in := range s.insts {
		have, ok := s.arch.parseRun(in.run)
		if in.problem != "" || ok && slices.Equal(have, in.code) {
			continue
		}
		has := fmt.Sprintf("has the bytes % x", have)
		switch {
		case !ok:
			has = "has words that Go's assembler refuses"
		case len(have) == 0:
			has = "has no bytes"
		default:
			unequal = append(unequal, in)
			pieces = append(pieces, in.code, have)
		}
		findings[in] = finding{text: fmt.Sprintf("%q assembles to % x, but the line %s", in.text, in.code, has)}
	}
	if len(unequal) == 0 {
		return findings, nil
	}
	d, noneErr := t.disassembler(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if noneErr != nil {
		for _, in := range unequal {
			f := findings[in]
			f.text += fmt.Sprintf(" (%v to tell what they are)", noneErr)
			findings[in] = f
		}
		return findings, nil
	}
	meanings, err := d.meanings(ctx, pieces, syntaxIntel)
	if err != nil {
		return nil, err
	}
	shown := meanings
	if s.arch == amd64 && s.syntax == syntaxATT {
		if shown, err = d.meanings(ctx, pieces, syntaxATT); err != nil {
			return nil, err
		}
	}
	for i, in := range unequal {
		f := findings[in]
		switch want, have := meanings[2*i], meanings[2*i+1]; {
		case have != "" && canonical(want) == canonical(have):
			f.text = fmt.Sprintf("%q assembles to % x, and the line has another encoding of it, % x", in.text, pieces[2*i], pieces[2*i+1])
			f.isEquivalent = true
		case have != "":
			f.text += fmt.Sprintf(", which is %q", shown[2*i+1])
		default:
			f.text += ", which is no whole instruction to objdump"
		}
		findings[in] = f
	}
	return findings, nil
}

// commutative has the AVX instructions whose sources may change places, which
// saves an assembler a byte of the VEX prefix. For floating point it is LLVM's
// view, which neglects which of two NaNs is returned.
var commutative = commutativeNames(
	strings.Fields("vadd vmul vand vor vxor vcmpeq vcmpneq vcmpord vcmpunord vcmpeq_uq"),
	strings.Fields("vpaddb vpaddw vpaddd vpaddq vpaddsb vpaddsw vpaddusb vpaddusw vpand vpor vpxor vpavgb vpavgw "+
		"vpcmpeqb vpcmpeqw vpcmpeqd vpmaddwd vpmaxsw vpmaxub vpminsw vpminub vpmulhuw vpmulhw vpmullw vpmuludq vpsadbw"),
)

func commutativeNames(floats, integers []string) map[string]bool {
	names := make(map[string]bool)
	for _, name := range floats {
		names[name+"ps"], names[name+"pd"] = true, true
	}
	for _, name := range integers {
		names[name] = true
	}
	return names
}

// canonical returns instructions, disassembled in Intel's syntax, in the form
// that all encodings of the same ones share.
func canonical(m meaning) string {
	asm := strings.ReplaceAll(strings.ToLower(string(m)), ", ", ",")
	asm = strings.ReplaceAll(asm, "+0x0]", "]")
	name, list, _ := strings.Cut(asm, " ")
	operands := strings.Split(list, ",")
	if commutative[name] && len(operands) == 3 {
		slices.Sort(operands[1:])
	}
	return name + " " + strings.Join(operands, ",")
}
