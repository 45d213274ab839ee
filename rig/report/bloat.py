"""Two objects, symbol by symbol, in the form that kernel people know from bloat-o-meter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rig.report.document import CellReport
from rig.report.layout import clean

SYMBOL = "symbol/"
"""Measurements of this prefix are sizes of functions and data, by name."""


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


def bloat(old: Mapping[str, int], new: Mapping[str, int]) -> Bloat:
    """Compares functions and data of two objects, bytes by name."""
    rows = [Row(name, old.get(name), new.get(name)) for name in old.keys() | new.keys()]
    moved = [row for row in rows if row.old != row.new]
    moved.sort(key=lambda row: (-row.delta, row.name))
    return Bloat(tuple(moved), sum(old.values()), sum(new.values()))


def symbol_sizes(cell: CellReport) -> dict[str, int]:
    """What a cell's object holds; empty where that was not measured."""
    return {
        item.name.removeprefix(SYMBOL): int(item.value)
        for item in cell.measurements
        if item.name.startswith(SYMBOL) and item.value is not None
    }


def render(result: Bloat) -> list[str]:
    """ASCII lines, 66 columns unless a name is very long."""
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
        f"{clean(row.name):<40} {_shown(row.old):>7} {_shown(row.new):>7} {row.delta:>+7}"
        for row in rows
    ]
    change = _percent(result.before, result.after)
    return [*lines, f"Total: Before={result.before}, After={result.after}, chg {change}"]


def _shown(size: int | None) -> str:
    return "-" if size is None else str(size)


def _percent(before: int, after: int) -> str:
    return f"{(after - before) / before * 100:+.2f}%" if before else "n/a"
