"""One core, many compilers: where along a family's versions it turns good or bad."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

from rig.report.document import CellReport, Report, SetupReport
from rig.report.frames import frame_limit
from rig.report.layout import INDENT, wrap
from rig.verdicts import VERDICTS, Blame, Verdict


class _Step(NamedTuple):
    """One compiler's word on a core. bad: why, empty for good."""

    version: tuple[int, ...]
    name: str
    bad: str


def version_lines(report: Report) -> list[str]:
    """``last good`` and ``first bad`` for each turn, by target, profile, family and core.

    Bad is a verdict that blames the core, or a frame over the kernel's default limit.
    """
    lines: list[str] = []
    for (target, profile, family, core), steps in _families(report).items():
        for one, other in pairwise(sorted(steps)):
            if bool(one.bad) == bool(other.bad):
                continue
            if other.bad:
                text = f"last good {one.name}, first bad {other.name} ({other.bad})"
            else:
                text = f"last bad {one.name} ({one.bad}), first good {other.name}"
            lines += wrap(f"{target}, {family}, {profile}, {core}: {text}", INDENT, INDENT * 2)
    return ["", *lines] if lines else []


def _families(report: Report) -> dict[tuple[str, str, str, str], list[_Step]]:
    found: dict[tuple[str, str, str, str], list[_Step]] = defaultdict(list)
    setups = {setup.id: setup for setup in report.setups}
    for cell in report.cells:
        setup = setups.get(cell.setup)
        if setup is None or setup.facts is None or cell.verdict is None:
            continue
        if VERDICTS[cell.verdict].blame is Blame.ENVIRONMENT:
            continue
        target, profile = setup.id.split("/")[0], setup.id.rsplit("/", 1)[-1]
        key = (target, profile, setup.facts.toolchain.family, cell.core)
        found[key].append(_step(report, setup, cell))
    return found


def _step(report: Report, setup: SetupReport, cell: CellReport) -> _Step:
    assert setup.facts
    facts = setup.facts
    numbers = tuple(int(part) for part in re.findall(r"\d+", facts.version)[:3])
    return _Step(numbers, f"{facts.release}/{facts.toolchain.family} {facts.version}",
                 _bad(report, cell))  # fmt: skip


def _bad(report: Report, cell: CellReport) -> str:
    assert cell.verdict
    if VERDICTS[cell.verdict].blame is Blame.CORE:
        if cell.verdict is Verdict.LIMIT_EXCEEDED and cell.finding:
            return f"{cell.verdict.value}: {cell.finding.message}"
        return cell.verdict.value
    frame, limit = cell.measurement("frame"), frame_limit(report, cell)
    if frame and frame.value is not None and limit is not None and frame.value > limit:
        return f"frame {int(frame.value)} over the kernel's {limit}"
    return ""
