"""What stack frames mean to a kernel: overrides of its limit, and gaps nobody can explain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rig.events import CoreFacts
from rig.report.document import CellReport, Report
from rig.report.layout import INDENT, clean, command, wrap

FRAME_WARN: Mapping[str, int] = {"32": 1024, "64": 2048}
"""CONFIG_FRAME_WARN as it is by default, in bytes, by word size (lib/Kconfig.debug)."""

_OVERRIDE = re.compile(r"-Wframe-larger-than=(\d+)")
_DEEP = INDENT + "  "


def frame_limit(report: Report, cell: CellReport) -> int | None:
    """The kernel's default limit on a cell's target; None where its word size is not known."""
    setup = next((one for one in report.setups if one.id == cell.setup), None)
    return FRAME_WARN.get(setup.attributes.get("bits", "")) if setup else None


def override_lines(report: Report) -> list[str]:
    """A sentence for each core whose Makefile lifts the limit: is that still needed?"""
    lines: list[str] = []
    for core in report.cores:
        override = next((flag for flag in core.cflags if _OVERRIDE.fullmatch(flag)), None)
        if override:
            lines += wrap(f"{core.name}: {override}: {_judged(report, core)}", INDENT, _DEEP)
    return ["", *lines] if lines else []


def _judged(report: Report, core: CoreFacts) -> str:
    over: list[str] = []
    largest = 0
    for cell in report.cells:
        limit = frame_limit(report, cell)
        if cell.core != core.name or limit is None:
            continue
        frame = cell.measurement("frame")
        if frame is None or frame.value is None or not frame.exact:
            return f"not judged: {cell.setup} has no exact frame"
        largest = max(largest, int(frame.value))
        if frame.value > limit:
            over.append(f"{cell.setup} {int(frame.value)} of {limit}")
    if over:
        return f"still needed: {', '.join(over)}"
    if not largest:
        return "not judged: no frame was measured"
    limits = " and ".join(f"{limit} on {bits}-bit" for bits, limit in FRAME_WARN.items())
    return f"now unnecessary: the largest frame is {largest}, the default limit {limits}"


def gap_lines(report: Report) -> list[str]:
    """A finding for each cell whose deepest SP is not where its frame says."""
    lines: list[str] = []
    for cell in report.cells:
        rest, gap = cell.measurement("gap/unexplained"), cell.measurement("gap")
        if rest is None or gap is None or not rest.value:
            continue
        frame, stack = (_bytes(cell, name) for name in ("frame", "stack"))
        text = f"finding, {cell.setup}, {cell.core}: frame {frame}, deepest SP {stack}"
        lines += wrap(f"{text}: {gap.note}", INDENT, _DEEP)
    return ["", *lines] if lines else []


def option_lines(cell: CellReport, indent: str) -> Iterator[str]:
    """The compiler's command of a cell whose frame is over a limit: it names the options."""
    if cell.build and cell.build.command:
        yield f"{indent}compiled by:"
        yield from command(tuple(map(clean, cell.build.command)), indent + "  ")


def _bytes(cell: CellReport, name: str) -> str:
    item = cell.measurement(name)
    return "-" if item is None or item.value is None else str(int(item.value))
