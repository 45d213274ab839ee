"""Every function and data object of an object file, by name; the report compares two."""

from __future__ import annotations

import re

from rig.elf import SHF_ALLOC, distinct, open_elf, symbols
from rig.errors import UsageError
from rig.measures import exact
from rig.measures.size import unmeasurable
from rig.verdicts import Measurement

METHOD = "st_size in the object"
PREFIX = "symbol/"


def of(content: bytes) -> list[Measurement]:
    """Named symbol/<name>, in bytes; nothing where sizes would mean nothing."""
    if unmeasurable(content):
        return []
    found = sizes(content, "")
    return [exact(f"{PREFIX}{name}", size, "bytes", METHOD) for name, size in found.items()]


def sizes(content: bytes, which: str) -> dict[str, int]:
    """Bytes by name; static copies of one name, whose number may change, are added up.

    which: how messages call the object. Raises UsageError when it cannot be read so.
    """
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
    total: dict[str, int] = {}
    for symbol in found:
        name = re.sub(r"\.\d+$", "", symbol.name)
        total[name] = total.get(name, 0) + symbol.size
    return total
