"""Two objects, symbol by symbol, in the form that kernel people know from bloat-o-meter."""

from __future__ import annotations

import re
from typing import NamedTuple

from rig.elf import SHF_ALLOC, distinct, open_elf, symbols
from rig.errors import UsageError
from rig.measures.size import unmeasurable


class Row(NamedTuple):
    """One symbol that was added, removed or changed. Sizes in bytes; None: not there."""

    name: str
    old: int | None
    new: int | None

    @property
    def delta(self) -> int:
        return (self.new or 0) - (self.old or 0)


class Bloat(NamedTuple):
    """rows: what changed, largest growth first. before, after: bytes of all symbols."""

    rows: tuple[Row, ...]
    before: int
    after: int


def bloat(before: bytes, after: bytes) -> Bloat:
    """Compares functions and data of two objects. UsageError when one cannot be read so."""
    old, new = _sizes(before, "before"), _sizes(after, "after")
    rows = [Row(name, old.get(name), new.get(name)) for name in old.keys() | new.keys()]
    moved = [row for row in rows if row.old != row.new]
    moved.sort(key=lambda row: (-row.delta, row.name))
    return Bloat(tuple(moved), sum(old.values()), sum(new.values()))


def render(result: Bloat) -> str:
    """ASCII, 72 columns unless a name is very long; no line end after the last line."""
    rows = result.rows
    added = sum(row.old is None for row in rows)
    removed = sum(row.new is None for row in rows)
    both = [row.delta for row in rows if row.old is not None and row.new is not None]
    grown, shrunk = sum(d > 0 for d in both), sum(d < 0 for d in both)
    up = sum(row.delta for row in rows if row.delta > 0)
    down = sum(row.delta for row in rows if row.delta < 0)
    lines = [
        f"add/remove: {added}/{removed} grow/shrink: {grown}/{shrunk} "
        f"up/down: {up}/{down} ({up + down})",
        f"{'Function':<40} {'old':>7} {'new':>7} {'delta':>7}",
    ]
    lines += [
        f"{_printable(row.name):<40} {_shown(row.old):>7} {_shown(row.new):>7} {row.delta:>+7}"
        for row in rows
    ]
    change = f"{_percent(result.before, result.after)}"
    lines.append(f"Total: Before={result.before}, After={result.after}, chg {change}")
    return "\n".join(lines)


def _sizes(content: bytes, which: str) -> dict[str, int]:
    """Bytes by name; static copies of one name, whose number may change, are added up."""
    reason = unmeasurable(content)
    if reason:
        raise UsageError(f"The object {which} cannot be compared: {reason}.")
    elf = open_elf(content)
    sections = list(elf.iter_sections())
    found = distinct(
        symbol
        for symbol in symbols(elf)
        if symbol.kind in ("STT_FUNC", "STT_OBJECT")
        and symbol.section < len(sections)
        and sections[symbol.section]["sh_flags"] & SHF_ALLOC
    )
    sizes: dict[str, int] = {}
    for symbol in found:
        name = re.sub(r"\.\d+$", "", symbol.name)
        sizes[name] = sizes.get(name, 0) + symbol.size
    return sizes


def _shown(size: int | None) -> str:
    return "-" if size is None else str(size)


def _percent(before: int, after: int) -> str:
    return f"{(after - before) / before * 100:+.2f}%" if before else "n/a"


def _printable(name: str) -> str:
    """Symbol names come from the core's author."""
    return "".join(char if " " < char <= "~" else "?" for char in name)
