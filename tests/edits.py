"""Cores that are a built-in one with a few places changed, and campaigns over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rig import campaign, sources
from rig.errors import EnvironmentFault
from rig.events import Event
from rig.lab import Lab
from rig.model import Core
from rig.report.document import Report
from rig.report.fold import fold

Edit = tuple[str, str]
"""What stands in the source exactly once, and what is put there instead."""

LOAD = "\t\t__builtin_memcpy(m, blocks, sizeof(m));\n"
ORDER = "m[i] = from_little_endian(m[i]);"
BEGIN = "\tint i;\n\n\tdo {\n"

FORGETS_ORDER: Edit = (ORDER, "(void)from_little_endian;")
"""Message words as they lie in memory: right on little-endian machines (CASES: C6)."""

CASTS: Edit = (
    LOAD,
    "\t\tfor (i = 0; i < 16; i++)\n\t\t\tm[i] = ((const uint64_t *)blocks)[i];\n",
)
"""Words are read through a pointer that may be misaligned: many CPUs do not mind."""

MISALIGNED = "hash in=lcg:1:400 at=1"

SEGFAULTS: Edit = (
    BEGIN,
    f"\tint i;\n\n\tif (inc == 3)\n\t\t*(volatile int *)64 = 1;\n{BEGIN[8:]}",
)
"""Messages of three bytes more than whole blocks end in a write to nowhere."""

THREE_BYTES = "hash in=hex:000102"

WRONG_WHEN_OPTIMISED: Edit = (
    BEGIN,
    f"\tint i;\n\n#ifdef __OPTIMIZE__\n\tif (inc == 3)\n\t\tinc = 4;\n#endif\n{BEGIN[8:]}",
)


def edited(lab: Lab, folder: Path, name: str, *edits: Edit, base: str = "rolled") -> Core:
    """A core file of its own: ``base`` with all edits made."""
    return written(lab, folder, name, changed(source(lab, f"cores/{base}.c"), *edits))


def source(lab: Lab, path: str) -> str:
    """A file of the guest."""
    return (lab.catalog.guest / path).read_text("utf-8")


def changed(text: str, *edits: Edit) -> str:
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} is not there exactly once"
        text = text.replace(old, new)
    return text


def written(lab: Lab, folder: Path, name: str, text: str) -> Core:
    path = folder / f"{name}.c"
    path.write_text(text, "utf-8")
    return sources.load(str(path), lab.catalog)


def line_of(core: Core, text: str) -> int:
    """The line of a core's unit, from 1, in which ``text`` stands."""
    lines = core.files[core.unit].decode().splitlines()
    (found,) = [number for number, line in enumerate(lines, 1) if text in line]
    return found


def judge(
    lab: Lab,
    cores: Sequence[Core],
    on: Sequence[str],
    *checks: str,
    case: str = "",
    long: bool = False,
) -> Report:
    """The report of a campaign; the test is skipped where a toolchain cannot be had.

    case: ask this one alone.
    """
    setups = lab.catalog.setups(on)
    for setup in setups:
        try:
            lab.facts(setup)
        except EnvironmentFault as error:
            pytest.skip(f"{setup.id}: {error}")
    events: list[Event] = []
    plan = campaign.Plan(
        "check", tuple(cores), tuple(setups), checks=checks, case=case, long=long
    )
    campaign.run(plan, lab, events.append)
    return fold(events)


def told(report: Report) -> str:
    """Everything that was found, for the message of a failed test."""
    return "\n".join(
        f"{cell.id}: {cell.verdict} {cell.finding} {cell.failure}" for cell in report.cells
    )
