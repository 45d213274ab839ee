"""Where a guest died, as a line of source: its last words say the address, DWARF the line.

The guest writes ``rig-trap signal=<n> pc=<hex>`` to standard error before a fault ends it
(guest/trap.h); the core's unit is compiled with line tables (-g1). A core can write such a line
itself, so what is said here explains a verdict and never makes one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from rig.elf import open_elf, read_program
from rig.errors import RigError
from rig.model import Exit
from rig.printable import one_line
from rig.runners import Ability, Explanation, Runner
from rig.verdicts import Verdict

_TRAP = re.compile(rb"^rig-trap signal=\d{1,3} pc=([0-9a-f]{1,16})$", re.MULTILINE)
_GUEST = "../../shared/"  # where the guest's own files lie, seen from a job's folder


@dataclass(frozen=True)
class Located:
    """A runner that also says where ``program``, an ELF file, died."""

    runner: Runner
    program: bytes

    @property
    def name(self) -> str:
        return self.runner.name

    @property
    def abilities(self) -> frozenset[Ability]:
        return self.runner.abilities

    def argv(self, program: str) -> tuple[str, ...]:
        return self.runner.argv(program)

    def explain(self, exit: Exit, stderr: bytes, *, started: bool = True) -> Explanation:
        found = self.runner.explain(exit, stderr, started=started)
        traps = _TRAP.findall(stderr)
        if found.verdict is not Verdict.GUEST_CRASH or not traps:
            return found
        return Explanation(found.verdict, f"{found.text}; {place(self.program, traps[-1])}")


@lru_cache(maxsize=64)
def place(program: bytes, pc: bytes) -> str:
    """``at bad.c:12, in blake2b_compress+0x1c``; as much of it as is known."""
    address = int(pc, 16)
    try:
        where = read_program(program).where(address)
        line = source_line(program, address)
    except RigError:
        return f"at {address:#x}"
    name = one_line(where.encode("utf-8", "replace"))
    return f"at {line}, in {name}" if line else f"at {name}"


def source_line(program: bytes, address: int) -> str:
    """``bad.c:12``; empty where no line is given for the address. Raises RigError."""
    try:
        elf = open_elf(program)
        if not elf.has_dwarf_info():
            return ""
        dwarf = elf.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            table = dwarf.line_program_for_CU(unit)
            for low, high, row in _rows(table):
                if low <= address < high:
                    return _named(table, row) if row.line else ""
    except RigError:
        raise
    except Exception as error:  # a damaged file can make the parser raise anything
        raise RigError("The line tables cannot be read.", detail=str(error)) from error
    return ""


def _rows(table: Any) -> Iterator[tuple[int, int, Any]]:
    """(first address, end, row) of every row of a unit's line table."""
    before = None
    for entry in table.get_entries() if table is not None else ():
        row = entry.state
        if row is None:
            continue
        if before is not None and not before.end_sequence:
            yield before.address, row.address, before
        before = row


def _named(table: Any, row: Any) -> str:
    """File and line of a row; DWARF 5 counts files from 0, older ones from 1."""
    header = table.header
    first = 0 if header["version"] >= 5 else 1
    name = header["file_entry"][row.file - first].name.decode("utf-8", "replace")
    text = name.replace(_GUEST, "guest/", 1)
    return one_line(f"{text}:{row.line}".encode("utf-8", "replace"))
