"""The least ELF object that a check can look at, built by hand: no compiler in unit tests."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rig.model import ByteOrder, Flags, Profile, ProfileFlags, Setup, Target, Toolchain

ALLOC, WRITE, EXEC = 2, 1, 4
GCC = Toolchain("gcc")
MACHINES = {"EM_386": 3, "EM_ARM": 40, "EM_X86_64": 62, "EM_MIPS": 8}


@dataclass(frozen=True)
class Symbol:
    """section: index among the given ones from 1, 0 undefined, 0xFFF2 common."""

    name: str
    section: int = 0
    kind: int = 0
    value: int = 0
    size: int = 0


def elf_object(
    sections: Sequence[tuple[str, int, bytes]] = ((".text", ALLOC | EXEC, b"\x90" * 16),),
    symbols: Sequence[Symbol] = (Symbol("blake2b_compress", 1, 2),),
    machine: str = "EM_386",
    flags: int = 0,
    stack: int | None = 0,
) -> bytes:
    """A little-endian 32-bit ET_REL. stack: flags of .note.GNU-stack, None leaves it out."""
    rows = [(name, 1, bits, body, 0, 0) for name, bits, body in sections]
    if stack is not None:
        rows.append((".note.GNU-stack", 1, stack, b"", 0, 0))
    strings, table = b"\0", struct.pack("<IIIBBH", 0, 0, 0, 0, 0, 0)
    for one in symbols:
        place = (len(strings), one.value, one.size, 0x10 | one.kind, 0, one.section)
        table += struct.pack("<IIIBBH", *place)
        strings += one.name.encode() + b"\0"
    rows.append((".symtab", 2, 0, table, len(rows) + 2, 16))
    rows.append((".strtab", 3, 0, strings, 0, 0))
    names = b"\0" + b"".join(row[0].encode() + b"\0" for row in rows) + b".shstrtab\0"
    rows.append((".shstrtab", 3, 0, names, 0, 0))
    headers, body = struct.pack("<10I", *(0,) * 10), b""
    for name, kind, bits, content, link, entry in rows:
        where = names.index(b"\0" + name.encode() + b"\0") + 1
        start = 52 + len(body)
        fields = (where, kind, bits, 0, start, len(content), link, 1, 1, entry)
        headers += struct.pack("<10I", *fields)
        body += content
    ident = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    numbers = (1, MACHINES[machine], 1, 0, 0, 52 + len(body), flags, 52, 0, 0, 40)
    return (
        ident
        + struct.pack("<HHIIIIIHHHHHH", *numbers, len(rows) + 1, len(rows))
        + body
        + headers
    )


def setup_of(
    machine: str = "EM_386",
    bits: int = 32,
    name: str = "i386",
    order: ByteOrder = ByteOrder.LITTLE,
    flags: tuple[str, ...] = (),
    toolchain: Toolchain = GCC,
    profile: str = "kernel",
    families: Mapping[str, ProfileFlags] | None = None,
) -> Setup:
    """A setup with only what a check or a diagnosis looks at filled in."""
    target = Target(
        name=name,
        summary="",
        triple="",
        clang_target="",
        bits=bits,
        byte_order=order,
        machine=machine,
        family=name,
        qemu="",
        qemu_cpu="",
        compilers=("gcc", "clang"),
        packages=(),
    )
    asked = ProfileFlags(core=Flags(common=flags))
    return Setup(target, toolchain, Profile(profile, "", asked, families or {}))
