#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is what was asked of the compiler and the linker against attackers in the program?

    tests/hardened.py [--static] PROGRAM LIBRARY OBJECT...

PROGRAM is read as an ELF file: at any address (PIE), relocations read-only before main()
(full RELRO), no memory that is written and run, no path of its own to libraries. LIBRARY
(an archive) and OBJECTs are what of it was compiled here: guards against a stack that is
overrun or jumped over, calls that know how large their buffers are (_FORTIFY_SOURCE), and
marks of branches and returns that a processor checks (CET). What is of x86-64 alone is
looked for on x86-64 alone. With --static, the program must not ask for a loader.
"""
import argparse
import struct
import sys

ET_REL, ET_DYN, EM_X86_64 = 1, 3, 62
PT_LOAD, PT_DYNAMIC, PT_INTERP = 1, 2, 3
PT_GNU_STACK, PT_GNU_RELRO = 0x6474E551, 0x6474E552
PF_X, PF_W = 1, 2
SHT_SYMTAB, SHT_STRTAB, SHT_NOTE, SHF_EXECINSTR = 2, 3, 7, 4
DT_RPATH, DT_TEXTREL, DT_BIND_NOW, DT_RUNPATH, DT_FLAGS = 15, 22, 24, 29, 30
DT_FLAGS_1 = 0x6FFFFFFB
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW, DF_1_PIE = 4, 8, 1, 0x08000000
# Not against attackers, but asked of the same file: what every start would pay for. The
# tables are 10,800; a program with CUDA has 4,800 others.
DT_RELACOUNT, RELATIVE_MAX, LATE_LIST = 0x6FFFFFF9, 8000, "gs_late_relocations_list"
NT_GNU_PROPERTY_TYPE_0, X86_FEATURE_1_AND, IBT, SHSTK = 5, 0xC0000002, 1, 2
# A large frame goes down by a page (sub $0x1000, %rsp) and touches it: so gcc, so clang.
PAGE_DOWN = b"\x48\x81\xec\x00\x10\x00\x00"
PROBES = (PAGE_DOWN + b"\x48\x83\x0c\x24\x00",
          PAGE_DOWN + b"\x48\xc7\x04\x24\x00\x00\x00\x00")


class Elf:
    """The headers of a little-endian 64-bit ELF file."""

    def __init__(self, name, data):
        if data[:6] != b"\x7fELF\x02\x01":
            raise ValueError(f"{name}: not a little-endian 64-bit ELF file")
        self.name, self.data = name, data
        head = struct.unpack_from("<HHIQQQIHHHHHH", data, 16)
        self.kind, self.machine = head[0], head[1]
        self.segments = [struct.unpack_from("<IIQQQQQQ", data, head[4] + i * head[8])
                         for i in range(head[9])]
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, head[5] + i * head[10])
                         for i in range(head[11])]

    def of_kind(self, kind):
        return [s for s in self.segments if s[0] == kind]

    def dynamic(self):
        """The dynamic section, as a dictionary of tags."""
        entries = {}
        for _, _, offset, _, _, size, _, _ in self.of_kind(PT_DYNAMIC):
            for at in range(offset, offset + size, 16):
                tag, value = struct.unpack_from("<qQ", self.data, at)
                entries.setdefault(tag, value)
        return entries

    def contents(self, section):
        return self.data[section[4]:section[4] + section[5]]

    def symbols(self):
        """The names of all symbols."""
        names = set()
        for section in self.sections:
            if section[1] != SHT_SYMTAB:
                continue
            strings = self.contents(self.sections[section[6]])
            table = self.contents(section)
            for at in range(0, len(table), 24):
                start = struct.unpack_from("<I", table, at)[0]
                names.add(strings[start:strings.index(b"\0", start)].decode())
        return names

    def code(self):
        return b"".join(self.contents(s) for s in self.sections if s[2] & SHF_EXECINSTR)

    def branch_marks(self):
        """The bits of GNU_PROPERTY_X86_FEATURE_1_AND, 0 without the note."""
        for section in self.sections:
            note = self.contents(section) if section[1] == SHT_NOTE else b""
            if len(note) < 16 or note[12:16] != b"GNU\0" or \
                    struct.unpack_from("<I", note, 8)[0] != NT_GNU_PROPERTY_TYPE_0:
                continue
            at, end = 16, 16 + struct.unpack_from("<I", note, 4)[0]
            while at + 8 <= end:
                kind, size = struct.unpack_from("<II", note, at)
                if kind == X86_FEATURE_1_AND:
                    return struct.unpack_from("<I", note, at + 8)[0]
                at += 8 + (size + 7) // 8 * 8
        return 0


def members(path):
    """The object files of an archive of ar."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"!<arch>\n":
        raise ValueError(f"{path}: not an archive")
    at = 8
    while at + 60 <= len(data):
        name, size = data[at:at + 16].decode().strip(), int(data[at + 48:at + 58])
        content = data[at + 60:at + 60 + size]
        if content[:4] == b"\x7fELF":
            yield Elf(f"{path}({name})", content)
        at += 60 + size + size % 2


def faults_of_program(elf, is_static):
    """What the program as a whole lacks."""
    tags = elf.dynamic()
    flags, flags_1 = tags.get(DT_FLAGS, 0), tags.get(DT_FLAGS_1, 0)
    stacks = elf.of_kind(PT_GNU_STACK)
    if elf.kind != ET_DYN or not flags_1 & DF_1_PIE:
        yield "it is not position-independent (-pie)"
    if not elf.of_kind(PT_GNU_RELRO):
        yield "no part of it becomes read-only once it is relocated (-z relro)"
    if not is_static and not (DT_BIND_NOW in tags or flags & DF_BIND_NOW or
                              flags_1 & DF_1_NOW):
        yield "its functions are found when they are called, so they stay writable (-z now)"
    if len(stacks) != 1 or stacks[0][1] & PF_X:
        yield "its stack can be run (-z noexecstack)"
    if any(s[1] & PF_W and s[1] & PF_X for s in elf.of_kind(PT_LOAD)):
        yield "it has memory that can be both written and run"
    if DT_TEXTREL in tags or flags & DF_TEXTREL:
        yield "its code is relocated, and so writable for a while"
    if DT_RPATH in tags or DT_RUNPATH in tags:
        yield "it has a path of its own to libraries"
    if LATE_LIST in elf.symbols() and tags.get(DT_RELACOUNT, 0) > RELATIVE_MAX:
        yield "its loader goes through the tables of the stemmers (cmd/link)"
    if is_static and elf.of_kind(PT_INTERP):
        yield "it asks for a loader, although it is to be static"


def faults_of_objects(objects):
    """What was compiled here and lacks a guard. Of some guards not each object has use."""
    symbols = set().union(*(elf.symbols() for elf in objects))
    if "__stack_chk_fail" not in symbols:
        yield "no function looks whether its stack was overrun (-fstack-protector-strong)"
    if not {"__memcpy_chk", "__snprintf_chk", "__vsnprintf_chk"} & symbols:
        yield "no call knows the size of its buffer (-D_FORTIFY_SOURCE)"
    if any(elf.machine != EM_X86_64 for elf in objects):
        return
    if not any(probe in elf.code() for elf in objects for probe in PROBES):
        yield "no large frame touches its pages in order (-fstack-clash-protection)"
    unmarked = [elf.name for elf in objects if elf.branch_marks() & (IBT | SHSTK) !=
                (IBT | SHSTK)]
    if unmarked:
        yield "not marked for checked branches and returns (-fcf-protection): " + \
            ", ".join(unmarked[:5])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--static", action="store_true")
    parser.add_argument("program")
    parser.add_argument("library")
    parser.add_argument("objects", nargs="+")
    args = parser.parse_args()

    def read(path):
        with open(path, "rb") as file:
            return Elf(path, file.read())

    objects = list(members(args.library)) + [read(path) for path in args.objects]
    faults = list(faults_of_program(read(args.program), args.static))
    faults += faults_of_objects(objects)
    for fault in faults:
        print(f"{args.program}: {fault}")
    print(f"hardened: {args.program} and {len(objects)} objects, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
