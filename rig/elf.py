"""What the measures need to know of ELF files: functions, sections, code bytes.

Addresses have the Thumb bit cleared. Names come from cores under test: whoever prints them
sanitises them.
"""

from __future__ import annotations

import io
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from rig.errors import RigError

SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4


class Symbol(NamedTuple):
    """One defined symbol. start, size: bytes; start is within its section in an object and
    an address in a program. section: index of its section header.
    """

    name: str
    start: int
    size: int
    section: int
    kind: str
    local: bool
    thumb: bool

    @property
    def end(self) -> int:
        return self.start + self.size


class Code(NamedTuple):
    """Bytes of one executable section, at an address."""

    start: int
    data: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.data)


def open_elf(content: bytes) -> Any:
    """An ELFFile over bytes; RigError when they are not ELF or are damaged."""
    try:
        elf = ELFFile(io.BytesIO(content))
        for section in elf.iter_sections():
            section.data()
    except Exception as error:  # a damaged file can make the parser raise anything
        raise RigError("Not an ELF file, or a damaged one.", detail=str(error)) from error
    return elf


def symbols(elf: Any) -> Iterator[Symbol]:
    """Every defined symbol, in the table's order."""
    arm = elf["e_machine"] == "EM_ARM"
    for table in elf.iter_sections():
        if not isinstance(table, SymbolTableSection) or table["sh_type"] != "SHT_SYMTAB":
            continue
        for entry in table.iter_symbols():
            section = entry["st_shndx"]
            if not isinstance(section, int):
                continue
            kind = entry["st_info"]["type"]
            thumb = bool(arm and kind == "STT_FUNC" and entry["st_value"] & 1)
            yield Symbol(
                entry.name,
                entry["st_value"] - thumb,
                entry["st_size"],
                section,
                kind,
                entry["st_info"]["bind"] == "STB_LOCAL",
                thumb,
            )


def undefined(elf: Any) -> list[str]:
    """Names that the object takes from elsewhere, sorted."""
    found: set[str] = set()
    for table in elf.iter_sections():
        if isinstance(table, SymbolTableSection):
            found |= {s.name for s in table.iter_symbols() if s["st_shndx"] == "SHN_UNDEF"}
    return sorted(found - {""})


def is_part(name: str, symbol: str) -> bool:
    """Whether ``name`` is ``symbol`` or what a compiler split off or specialised from it
    (``.constprop.0``, ``.isra.0``, ``.part.0``, ``.cold``, clang's ``.llvm.123``).
    """
    return name == symbol or name.startswith(symbol + ".")


def distinct(found: Iterable[Symbol]) -> list[Symbol]:
    """Without aliases: one symbol an address, the longest, then the shortest name."""
    best: dict[tuple[int, int], Symbol] = {}
    for one in sorted(found, key=lambda s: (-s.size, len(s.name), s.name)):
        best.setdefault((one.section, one.start), one)
    return sorted(best.values(), key=lambda s: (s.section, s.start))


@dataclass(frozen=True)
class Program:
    """The code of a linked program (static, ET_EXEC). machine: as readelf spells it.

    functions: by address, without aliases; one without a size ends where the next begins.
    names: where each name, aliases included, has its functions. code: executable sections.
    """

    machine: str
    functions: tuple[Symbol, ...]
    names: Mapping[str, frozenset[int]]
    code: tuple[Code, ...]

    @cached_property
    def _starts(self) -> list[int]:
        return [function.start for function in self.functions]

    @cached_property
    def entries(self) -> frozenset[int]:
        """Where functions begin."""
        return frozenset(self._starts)

    def at(self, pc: int) -> Symbol | None:
        """The function that holds ``pc``."""
        index = bisect_right(self._starts, pc) - 1
        if index < 0 or pc >= self.functions[index].end:
            return None
        return self.functions[index]

    def where(self, pc: int) -> str:
        """``blake2b_compress+0x1c``, or the bare address."""
        function = self.at(pc)
        return f"{pc:#x}" if function is None else f"{function.name}+{pc - function.start:#x}"

    def parts(self, symbol: str) -> tuple[Symbol, ...]:
        """The measured function and what was split off it."""
        starts = self.names.get(symbol, frozenset())
        return tuple(f for f in self.functions if f.start in starts or is_part(f.name, symbol))

    def entry(self, symbol: str) -> Symbol | None:
        """Where calls of the measured symbol arrive; None when it was inlined away.

        The symbol itself, else its only specialised copy; RigError when there are several.
        """
        starts = self.names.get(symbol, frozenset())
        parts = self.parts(symbol)
        exact = [part for part in parts if part.start in starts]
        whole = exact or [part for part in parts if ".cold" not in part.name]
        if len(whole) > 1:
            names = ", ".join(f"{part.name} at {part.start:#x}" for part in whole)
            raise RigError(f"{symbol} is not one function in this program: {names}.")
        return whole[0] if whole else None

    def bytes_at(self, pc: int, count: int) -> bytes:
        """Up to ``count`` code bytes at ``pc``; empty outside the code."""
        for code in self.code:
            if code.start <= pc < code.end:
                return code.data[pc - code.start : pc - code.start + count]
        return b""


def read_program(content: bytes) -> Program:
    """Functions and code of a linked program; RigError when it is none."""
    elf = open_elf(content)
    code = {
        index: Code(section["sh_addr"], section.data())
        for index, section in enumerate(elf.iter_sections())
        if section["sh_flags"] & SHF_EXECINSTR and section["sh_type"] == "SHT_PROGBITS"
    }
    kinds = ("STT_FUNC", "STT_LOOS")  # STT_LOOS: what pyelftools calls an IFUNC
    named = [s for s in symbols(elf) if s.kind in kinds and s.section in code]
    found = distinct(named)
    functions = []
    for index, one in enumerate(found):
        following = found[index + 1 : index + 2]
        same = following and following[0].section == one.section
        limit = following[0].start if same else code[one.section].end
        size = min(one.size or limit - one.start, limit - one.start)
        functions.append(one._replace(size=size))
    functions.sort(key=lambda function: function.start)
    names: dict[str, frozenset[int]] = {}
    for one in named:
        names[one.name] = names.get(one.name, frozenset()) | {one.start}
    return Program(elf["e_machine"], tuple(functions), names, tuple(code.values()))
