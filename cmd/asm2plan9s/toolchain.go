package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A toolchain is what assembles and disassembles for one architecture. Its
// programs are looked for when they are first needed.
type toolchain struct {
	arch  *arch
	as    string   // the only assembler, or empty
	flags []string // for that

	first    *assembler
	firstErr error

	others        []*assembler
	lookedForMore bool
	dis           *disassembler
	disErr        error
	lookedForDis  bool
}

func (c *converter) toolchain(a *arch) *toolchain {
	t, ok := c.toolchains[a]
	if !ok {
		t = &toolchain{arch: a, as: c.as, flags: c.asFlags}
		c.toolchains[a] = t
	}
	return t
}

// assembler returns the assembler to use: -as, or the first on PATH.
func (t *toolchain) assembler(ctx context.Context) (*assembler, error) {
	switch {
	case t.first != nil || t.firstErr != nil:
	case t.as == "":
		var list []*assembler
		if list, t.firstErr = findAssemblers(ctx, t.arch, true); t.firstErr == nil {
			t.first = list[0]
		}
	default:
		if t.first, t.firstErr = probe(ctx, t.arch, t.as); t.firstErr == nil {
			t.first.args = slices.Concat(t.first.args, t.flags)
		}
	}
	return t.first, t.firstErr
}

// otherAssemblers returns the other assemblers on PATH.
func (t *toolchain) otherAssemblers(ctx context.Context) []*assembler {
	if !t.lookedForMore {
		t.lookedForMore = true
		// If PATH has no assembler, the one of -as remains.
		list, _ := findAssemblers(ctx, t.arch, false)
		t.others = slices.DeleteFunc(list, func(as *assembler) bool { return sameFile(as.path, t.first.path) })
	}
	return t.others
}

func (t *toolchain) disassembler(ctx context.Context) (*disassembler, error) {
	if !t.lookedForDis {
		t.lookedForDis = true
		as, err := t.assembler(ctx)
		if err == nil {
			t.dis, err = findDisassembler(ctx, as)
		}
		t.disErr = err
	}
	return t.dis, t.disErr
}

// assemble gives each instruction of s that has no problem its code, or a
// problem. It removes instructions that turn out to be plain comments from s.
// It returns notes of the assembler's warnings, and of instructions that needed
// another assembler.
func (t *toolchain) assemble(ctx context.Context, s *source) ([]note, error) {
	as, err := t.assembler(ctx)
	if err != nil {
		return nil, archError{err}
	}
	fail := func(err error) ([]note, error) { return nil, fmt.Errorf("assembling %s: %w", s.name, err) }
	notes, refused, err := as.assemble(ctx, s, s.open())
	if err != nil {
		return fail(err)
	}
	if len(refused) > 0 {
		more, unknown, err := t.askOthers(ctx, s, as, refused)
		if err != nil {
			return fail(err)
		}
		notes = append(notes, more...)
		s.dropForeign(unknown)
	}
	if err := t.extend(ctx, s); err != nil {
		return fail(err)
	}
	return notes, nil
}

// assemble gives the instructions their code or a problem. It returns the
// instructions that the assembler does not know: another may know them.
func (as *assembler) assemble(ctx context.Context, s *source, insts []*instruction) (notes []note, refused []*instruction, err error) {
	texts := make([]string, len(insts))
	for i, in := range insts {
		texts[i] = in.text
	}
	encodings, err := as.encode(ctx, texts, s.syntax)
	if err != nil {
		return nil, nil, err
	}
	others, err := as.encode(ctx, otherTexts(insts), s.syntax)
	if err != nil {
		return nil, nil, err
	}
	var attempts []string
	trials := make([][]trial, len(insts))
	for i, in := range insts {
		if encodings[i].problem != "" {
			trials[i], attempts = newTrials(in.text, s.arch, attempts)
		}
	}
	tried, err := as.encode(ctx, attempts, s.syntax)
	if err != nil {
		return nil, nil, err
	}
	for i, in := range insts {
		e := withoutRemark(encodings[i], trials[i], tried)
		if in.other != "" {
			e = in.reconcile(e, others[0])
			others = others[1:]
		}
		for _, w := range e.warnings {
			notes = append(notes, note{line: in.line, text: fmt.Sprintf("warning: %q: %s", in.text, w)})
		}
		in.code, in.problem = e.code, e.problem
		if e.problem != "" && !e.isFinal {
			refused = append(refused, in)
		}
	}
	return notes, refused, nil
}

// otherTexts returns the texts on the other sides of a second //.
func otherTexts(insts []*instruction) []string {
	var list []string
	for _, in := range insts {
		if in.other != "" {
			list = append(list, in.other)
		}
	}
	return list
}

// reconcile returns the encoding of an instruction whose comment has a second //.
// Its text has the encoding e, and the text on the other side has other.
func (in *instruction) reconcile(e, other encoding) encoding {
	switch {
	case other.problem != "":
	case e.problem != "" && in.isGo && !hasRegister(in.text):
		// What looks like Go's syntax is the instruction, and words follow.
		in.text, in.other, in.isGo = in.other, in.text, false
		return other
	case in.isGo && strings.EqualFold(firstWord.FindString(in.text), firstWord.FindString(in.other)):
		// CMOVB AX, DX is CMOVB EDX, EAX, and to an assembler CMOVB AX, DX.
	case e.problem == "" && hasRegister(in.other) && !bytes.Equal(e.code, other.code):
		e.problem, e.isFinal = fmt.Sprintf("%q and %q are two instructions, and a line has one", in.text, in.other), true
	}
	return e
}

// A trial is a split whose parts are assembled each by itself. From and to are
// indices in the list of what is assembled: first of the beginning, then of the
// remark's instructions.
type trial struct {
	split
	from, to int
}

// newTrials returns the trials for a text, and adds what is to be assembled for
// them to texts.
func newTrials(text string, a *arch, texts []string) ([]trial, []string) {
	var list []trial
	for _, s := range splits(text, a) {
		t := trial{split: s, from: len(texts)}
		texts = append(texts, s.kept)
		if refuse(s.remark) == "" {
			texts = append(texts, s.remark)
			// Of its beginnings the shortest: all of all remarks would be too many.
			if inner := splits(s.remark, a); len(inner) > 0 && hasRegister(inner[len(inner)-1].kept) {
				texts = append(texts, inner[len(inner)-1].kept)
			}
		}
		t.to = len(texts)
		list = append(list, t)
	}
	return list, texts
}

// withoutRemark returns the encoding of the longest beginning of a text that is
// an instruction before a remark, or else e, the encoding of the whole text.
func withoutRemark(e encoding, trials []trial, tried []encoding) encoding {
	for _, t := range trials {
		kept := tried[t.from]
		if kept.isMisfit {
			return kept // another assembler may be silent about it
		}
		if kept.problem != "" {
			continue
		}
		if slices.ContainsFunc(tried[t.from+1:t.to], func(e encoding) bool { return e.problem == "" || e.isMisfit }) {
			e.problem += fmt.Sprintf("; %q and %q are two instructions, and a line has one", t.kept, t.remark)
		} else if t.isDoubtful {
			e.problem += fmt.Sprintf("; %q may belong to the instruction: if it is a remark, put a ; before it", t.remark)
		} else {
			return kept
		}
		break
	}
	return e
}

// askOthers has the other assemblers try what the first one refuses. Without -as
// the first that knows an instruction gives its code; in any case the user gets
// to know who does. What none of them knows is returned.
func (t *toolchain) askOthers(ctx context.Context, s *source, first *assembler, refused []*instruction) (notes []note, unknown []*instruction, err error) {
	problems := make(map[*instruction]string) // the first one's
	for _, in := range refused {
		problems[in] = in.problem
	}
	know := make(map[*instruction][]string)
	pending := refused
	for _, as := range t.otherAssemblers(ctx) {
		if len(pending) == 0 {
			break
		}
		_, still, err := as.assemble(ctx, s, pending)
		if err != nil {
			continue // as if it were not there
		}
		var known []*instruction
		for _, in := range pending {
			if in.problem == "" {
				known = append(known, in)
				know[in] = append(know[in], as.name)
			}
		}
		if t.as == "" {
			pending = still
			for i, in := range known {
				text := fmt.Sprintf("%q is assembled by %s: %s refuses it: %s", in.text, as.name, first.name, problems[in])
				if i == 0 && len(known) > 1 {
					text += fmt.Sprintf("; so are %d more lines", len(known)-1)
				}
				notes = append(notes, note{line: in.line, text: text, isDetail: i > 0})
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	for _, in := range pending {
		in.problem = problems[in]
		if know[in] == nil {
			unknown = append(unknown, in)
			if t.arch == arm64 && appleName.MatchString(in.text) {
				in.problem += "; clang and llvm-mc read Apple's syntax"
			}
		} else {
			in.problem += fmt.Sprintf("; known to %s", strings.Join(know[in], ", "))
		}
	}
	return notes, unknown, nil
}

// extend finds the instructions whose words go on in the next line.
func (t *toolchain) extend(ctx context.Context, s *source) error {
	list := s.openEnded()
	if len(list) == 0 {
		return nil
	}
	pieces := make([][]byte, len(list))
	for i, in := range list {
		pieces[i], _ = s.arch.parseRun(in.run)
	}
	// No instruction is the beginning of another one: where a line's words are
	// one, the next line has nothing to do with it.
	whole := make([]meaning, len(list))
	if d, err := t.disassembler(ctx); err == nil {
		if whole, err = d.meanings(ctx, pieces, syntaxIntel); err != nil {
			return err
		}
	}
	for i, in := range list {
		if whole[i] == "" {
			s.extend(in)
		}
	}
	return nil
}
