package main

import (
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An object is what an assembler made of the instructions.
type object struct {
	code [][]byte // of each instruction

	// unresolved has the instructions whose bytes a linker would still change,
	// with the symbol's name, which may be empty.
	unresolved map[int]string
}

// readObject reads the code of n instructions from an ELF object in which
// labels stand before each instruction and after the last one.
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
	for _, sym := range symbols {
		number, ok := strings.CutPrefix(sym.Name, labelPrefix)
		if !ok || sym.Section != elf.SectionIndex(text) {
			continue
		}
		i, err := strconv.Atoi(number)
		if err != nil || i > n {
			return nil, fmt.Errorf("it has a label %s that nobody gave it", sym.Name)
		}
		starts[i] = sym.Value
		seen++
	}
	if seen != n+1 || !slices.IsSorted(starts) || starts[0] != 0 || starts[n] > uint64(len(code)) {
		return nil, errors.New("its labels are not those that it was given")
	}

	obj := &object{unresolved: make(map[int]string)}
	for i := range n {
		obj.code = append(obj.code, code[starts[i]:starts[i+1]])
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
			i, found := slices.BinarySearch(starts, offset)
			if !found {
				i--
			}
			obj.unresolved[i] = name
		}
	}
	return obj, nil
}
