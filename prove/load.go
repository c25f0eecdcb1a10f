package main

import (
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Programs in files of three formats. Symbols of Mach-O and of PE have no sizes.

func load(path string) (*program, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var magic [4]byte
	if _, err := f.ReadAt(magic[:], 0); err != nil {
		return nil, err
	}
	p := &program{path: path, slots: map[int64]string{}, offsets: map[int64]bool{}}
	switch {
	case string(magic[:]) == elf.ELFMAG:
		err = p.loadELF(f)
	case string(magic[:2]) == "MZ":
		err = p.loadPE(f)
	case binary.LittleEndian.Uint32(magic[:]) == macho.Magic64:
		err = p.loadMachO(f)
	default:
		err = errors.New("neither ELF nor PE nor Mach-O of 64 bits")
	}
	return p, err
}

func (p *program) loadELF(r *os.File) error {
	f, err := elf.NewFile(r)
	if err != nil {
		return err
	}
	if p.arm = f.Machine == elf.EM_AARCH64; !p.arm && f.Machine != elf.EM_X86_64 {
		return fmt.Errorf("a program for %v, which is neither amd64 nor arm64", f.Machine)
	}
	p.os = "linux"
	for _, s := range f.Sections {
		if s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		t := section{addr: int64(s.Addr), size: int64(s.Size), writable: s.Flags&elf.SHF_WRITE != 0}
		if s.Type != elf.SHT_NOBITS {
			if t.data, err = s.Data(); err != nil {
				return err
			}
		}
		p.sections = append(p.sections, t)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return err
	}
	for _, s := range symbols {
		if s.Section < elf.SHN_LORESERVE && s.Section != elf.SHN_UNDEF {
			p.symbols = append(p.symbols, symbol{s.Name, int64(s.Value), int64(s.Size)})
		}
	}
	// What the dynamic linker does.
	dynamic, err := f.DynamicSymbols()
	if errors.Is(err, elf.ErrNoSymbols) {
		return nil
	} else if err != nil {
		return err
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		data, err := s.Data()
		if err != nil {
			return err
		}
		for ; len(data) >= 24; data = data[24:] {
			at, info := int64(binary.LittleEndian.Uint64(data)), binary.LittleEndian.Uint64(data[8:])
			name, kind := "", uint32(info)
			if i := int(info >> 32); i > 0 && i <= len(dynamic) {
				name = dynamic[i-1].Name
			}
			addend := binary.LittleEndian.Uint64(data[16:])
			switch global := !p.arm && elf.R_X86_64(kind) == elf.R_X86_64_GLOB_DAT || p.arm && elf.R_AARCH64(kind) == elf.R_AARCH64_GLOB_DAT; {
			case global && addend == 0:
				p.slots[at] = name
			case !p.arm && elf.R_X86_64(kind) == elf.R_X86_64_TPOFF64 && name == "runtime.tlsg" && addend == 0:
				p.offsets[at] = true
			}
		}
	}
	return nil
}

func (p *program) loadPE(r *os.File) error {
	f, err := pe.NewFile(r)
	if err != nil {
		return err
	}
	if p.arm = f.Machine == pe.IMAGE_FILE_MACHINE_ARM64; !p.arm && f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 {
		return fmt.Errorf("a program for machine %#x, which is neither amd64 nor arm64", f.Machine)
	}
	h, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if !ok {
		return errors.New("no header of 64 bits")
	}
	p.os = "windows"
	var from []int64
	for _, s := range f.Sections {
		t := section{addr: int64(h.ImageBase) + int64(s.VirtualAddress), size: int64(s.VirtualSize), writable: s.Characteristics&pe.IMAGE_SCN_MEM_WRITE != 0}
		if t.data, err = s.Data(); err != nil {
			return err
		}
		t.data = t.data[:min(int64(len(t.data)), t.size)]
		p.sections, from = append(p.sections, t), append(from, t.addr)
	}
	for _, s := range f.Symbols {
		if s.SectionNumber < 1 || int(s.SectionNumber) > len(from) {
			continue
		}
		y := symbol{name: s.Name, addr: from[s.SectionNumber-1] + int64(s.Value)}
		if p.symbols = append(p.symbols, y); s.Name == "runtime.tls_g" {
			p.offsets[y.addr] = true
		}
	}
	return nil
}

func (p *program) loadMachO(r *os.File) error {
	f, err := macho.NewFile(r)
	if err != nil {
		return err
	}
	if p.arm = f.Cpu == macho.CpuArm64; !p.arm && f.Cpu != macho.CpuAmd64 {
		return fmt.Errorf("a program for %v, which is neither amd64 nor arm64", f.Cpu)
	}
	if f.Symtab == nil {
		return errors.New("no symbols")
	}
	p.os = "darwin"
	const zeroFill, writable, readOnlyWhenLinked = 1, 2, 0x10
	segments := map[string]*macho.Segment{}
	for _, l := range f.Loads {
		if s, ok := l.(*macho.Segment); ok {
			segments[s.Name] = s
		}
	}
	for _, s := range f.Sections {
		g := segments[s.Seg]
		t := section{addr: int64(s.Addr), size: int64(s.Size), writable: g == nil || g.Prot&writable != 0 && g.Flag&readOnlyWhenLinked == 0}
		if s.Flags&0xff != zeroFill {
			if t.data, err = s.Data(); err != nil {
				return err
			}
		}
		p.sections = append(p.sections, t)
	}
	const debugging = 0xe0 // of a symbol's type
	for _, s := range f.Symtab.Syms {
		if s.Sect == 0 || s.Type&debugging != 0 {
			continue
		}
		// Names of C have an underscore in front, and so have those without a dot.
		name := s.Name
		if !strings.Contains(name, ".") {
			name = strings.TrimPrefix(name, "_")
		}
		p.symbols = append(p.symbols, symbol{name: name, addr: int64(s.Value)})
	}
	return nil
}
