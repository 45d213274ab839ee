"""Mutants: single-edit faults of correct code, which the checks must find.

They are data (``catalog/*.toml``): where, what stands there, what is put in its place, and
where the fault should show. A mutant that no question could tell from the original says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Shows(StrEnum):
    """Where a fault should show.

    EVERYWHERE: on every target. BITS_32, BIG_ENDIAN: there, and nowhere else. SOMEWHERE: on
    some target; it depends on what a compiler or a CPU makes of it.
    """

    EVERYWHERE = "everywhere"
    BITS_32 = "32-bit"
    BIG_ENDIAN = "big-endian"
    SOMEWHERE = "somewhere"


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit. kind: its class, the name of its file. source: what is edited (SOURCES).

    at: text that is replaced by ``put``; it stands in the source once, or is the first such
    text behind ``after``, which stands there once. equivalent: why no caller can tell it from
    the original; empty for a fault.
    """

    name: str
    kind: str
    source: str
    at: str
    put: str
    after: str = ""
    shows: Shows = Shows.EVERYWHERE
    equivalent: str = ""

    @property
    def edit(self) -> str:
        """The edit in one line."""
        old, new = (" ".join(text.split()) for text in (self.at, self.put))
        return f"{old} -> {new or '(nothing)'}"


__all__ = ["Mutant", "Shows"]
