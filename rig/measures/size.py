"""Code size of the measured symbol, and what the unit brings besides it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from rig.elf import (
    SHF_ALLOC,
    SHF_EXECINSTR,
    SHF_WRITE,
    Symbol,
    distinct,
    is_part,
    open_elf,
    symbols,
    undefined,
)
from rig.errors import RigError
from rig.measures import exact, not_measured
from rig.verdicts import Measurement

SIZE = "st_size in the object, split parts included"
HELPERS = "st_size of the unit's other local functions"
CONSTANTS = "bytes of the object's .rodata sections"
LIBGCC = "undefined symbols that libgcc defines"
DISTANCE = "from the symbol to the next one, as System.map would show it"

_LIBGCC = re.compile(
    r"__aeabi_(?!mem|unwind|read_tp)\w+"
    r"|__(?:u?div|u?mod|u?divmod|mul|ashl|ashr|lshr|u?cmp|neg|clz|ctz|ffs|popcount|parity|bswap)"
    r"[qhsdt]i[234]?"
)
"""Integer helpers: gcc's ``__udivdi3`` and the names of the ARM run-time ABI."""

_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


def of(content: bytes, symbol: str, also: Collection[str] | None = ()) -> list[Measurement]:
    """size, helpers, constants, distance in bytes, and libgcc as a number of symbols.

    content: the object of the core's unit, or any other ``.o``. also: further functions that
    the measured one consists of; None means every local function of the unit. What cannot be
    measured has no value and says why.
    """
    reason = unmeasurable(content)
    if reason:
        return _nothing(reason)
    elf = open_elf(content)
    functions = [s for s in symbols(elf) if s.kind == "STT_FUNC" and _is_code(elf, s.section)]
    parts = distinct(f for f in functions if is_part(f.name, symbol))
    if parts:
        own = [f for f in functions if (f.local if also is None else _belongs(f, also))]
        parts = distinct([*parts, *own])
    if not parts:
        return _nothing(
            f"the object has no function {symbol} (inlined away, or named otherwise)"
        )
    total = sum(part.size for part in parts)
    return [
        exact("size", total, "bytes", SIZE, "" if _plain(parts, symbol) else _listed(parts)),
        _helpers(functions, parts),
        _constants(elf),
        _libgcc(elf),
        _distance(elf, parts, symbol),
    ]


def unmeasurable(content: bytes) -> str:
    """Why sizes of this file would mean nothing; empty when they do."""
    if content.startswith(_BITCODE):
        return "LLVM bitcode; code is made when it is linked (LTO)"
    if content.startswith(b"!<arch>"):
        return "an archive, not an object"
    if not content.startswith(b"\x7fELF"):
        return "not an ELF object"
    try:
        names = [section.name for section in open_elf(content).iter_sections()]
    except RigError as error:
        return f"a damaged ELF object ({error.detail})"
    if any(name.startswith((".gnu.lto_", ".llvm.lto")) for name in names):
        return "LTO; code is made when it is linked"
    return ""


def _nothing(reason: str) -> list[Measurement]:
    return [
        not_measured("size", "bytes", SIZE, reason),
        not_measured("helpers", "bytes", HELPERS, reason),
        not_measured("constants", "bytes", CONSTANTS, reason),
        not_measured("libgcc", "symbols", LIBGCC, reason),
        not_measured("distance", "bytes", DISTANCE, reason),
    ]


def _is_code(elf: Any, index: int) -> bool:
    return index < elf.num_sections() and bool(
        elf.get_section(index)["sh_flags"] & SHF_EXECINSTR
    )


def _belongs(function: Symbol, names: Collection[str]) -> bool:
    return any(is_part(function.name, name) for name in names)


def _plain(parts: list[Symbol], symbol: str) -> bool:
    return len(parts) == 1 and parts[0].name == symbol


def _listed(functions: Iterable[Symbol]) -> str:
    """``blake2b_compress 27000, blake2b_compress.cold 12``."""
    return ", ".join(f"{function.name} {function.size}" for function in functions)


def _helpers(functions: list[Symbol], parts: list[Symbol]) -> Measurement:
    """Functions that only this unit can call, whoever in it does."""
    taken = {(part.section, part.start) for part in parts}
    others = [f for f in functions if f.local and (f.section, f.start) not in taken]
    helpers = [helper for helper in distinct(others) if helper.size]
    return exact("helpers", sum(h.size for h in helpers), "bytes", HELPERS, _listed(helpers))


def _constants(elf: Any) -> Measurement:
    found = []
    for section in elf.iter_sections():
        flags = section["sh_flags"]
        readable = flags & SHF_ALLOC and not flags & (SHF_WRITE | SHF_EXECINSTR)
        if readable and section.name.startswith(".rodata") and section["sh_size"]:
            found.append((section.name, section["sh_size"]))
    note = ", ".join(f"{name} {size}" for name, size in found)
    return exact("constants", sum(size for _, size in found), "bytes", CONSTANTS, note)


def _libgcc(elf: Any) -> Measurement:
    names = [name for name in undefined(elf) if _LIBGCC.fullmatch(name)]
    return exact("libgcc", len(names), "symbols", LIBGCC, ", ".join(names))


def _distance(elf: Any, parts: list[Symbol], symbol: str) -> Measurement:
    """To the next symbol of the section, or to its end rounded up to its alignment."""
    main = next((part for part in parts if part.name == symbol), parts[0])
    section = elf.get_section(main.section)
    following = [
        other
        for other in symbols(elf)
        if other.section == main.section
        and other.start > main.start
        and other.kind not in ("STT_SECTION", "STT_FILE")
        and other.name
        and not other.name.startswith(("$", ".L"))  # mapping symbols, labels
    ]
    if following:
        nearest = min(following, key=lambda other: other.start)
        return exact(
            "distance", nearest.start - main.start, "bytes", DISTANCE, f"to {nearest.name}"
        )
    align = max(1, section["sh_addralign"])
    end = -(-section["sh_size"] // align) * align
    return exact("distance", end - main.start, "bytes", DISTANCE, "to the end of its section")
