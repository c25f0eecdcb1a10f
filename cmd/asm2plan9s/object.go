package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// An object is what an assembler made of the instructions.
type object struct {
	code [][]byte // of each instruction

	// unresolved has the instructions whose bytes a linker would still change,
	// with the symbol's name, which may be empty.
	unresolved map[int]string

	// labelled has the instructions whose text NASM took for a label, perhaps
	// with an instruction behind it: x, or .x and $.x, local to the label before.
	labelled map[int]bool
}

// mappingPrefix begins the symbols by which arm64's assemblers mark code and
// data.
const mappingPrefix = "$"

// readObject reads the code of n instructions from an ELF object that has
// labels before each instruction and after the last one.
func readObject(path string, n int) (*object, error) {
	f, err := elf.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	text := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return s.Name == ".text" })
	if text < 0 {
		return nil, errors.New("it has no section .text")
	}
	code, err := f.Sections[text].Data()
	if err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	starts := make([]uint64, n+1)
	seen := 0
	obj := &object{unresolved: make(map[int]string), labelled: make(map[int]bool)}
	var others []uint64 // the addresses of labels that the texts define
	for _, sym := range symbols {
		if sym.Section != elf.SectionIndex(text) || elf.ST_TYPE(sym.Info) == elf.STT_SECTION || strings.HasPrefix(sym.Name, mappingPrefix) {
			continue
		}
		number, ok := strings.CutPrefix(sym.Name, labelPrefix)
		if !ok {
			others = append(others, sym.Value)
			continue
		}
		number, _, isLocal := strings.Cut(number, ".")
		i, err := strconv.Atoi(number)
		if err != nil || i > n {
			return nil, fmt.Errorf("it has a label %s that nobody gave it", sym.Name)
		}
		if isLocal {
			obj.labelled[i] = true
			continue
		}
		starts[i] = sym.Value
		seen++
	}
	if seen != n+1 || !slices.IsSorted(starts) || starts[0] != 0 || starts[n] > uint64(len(code)) {
		return nil, errors.New("its labels are not those that it was given")
	}

	for i := range n {
		obj.code = append(obj.code, code[starts[i]:starts[i+1]])
	}
	for _, at := range others {
		// Of texts without bytes that begin there too, one may define it.
		if i, found := slices.BinarySearch(starts, at); found && i < n && starts[i+1] > at {
			obj.labelled[i] = true
		}
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Info != uint32(text) {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return nil, err
		}
		const relaSize = 24 // Elf64_Rela: offset, info, addend
		for ; len(data) >= relaSize; data = data[relaSize:] {
			offset, info := f.ByteOrder.Uint64(data), f.ByteOrder.Uint64(data[8:])
			name := ""
			if sym := elf.R_SYM64(info); sym != 0 && int(sym) <= len(symbols) {
				name = symbols[sym-1].Name
			}
			// Texts without bytes may begin there too: it is in the last one.
			i := sort.Search(n, func(i int) bool { return starts[i+1] > offset })
			obj.unresolved[i] = name
		}
	}
	return obj, nil
}
