"""What items tell: properties for JUnit, and a table a cell at the end of a session.

Properties travel with an item's report, also from xdist's workers, so the table needs nothing
else. All text is printable ASCII, so any terminal and any XML can take it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from rig.pytest_matrix import cell_of, params_of
from rig.report.layout import clean, table, wrap

if TYPE_CHECKING:
    from rig.pytest_support import CellUnderTest

_FIGURES = ("size", "frame", "stack", "work")
_REASONS = 20


def describe(item: pytest.Item, when: str) -> None:
    """Adds properties: what the item is about, and after it ran, what was measured."""
    found = cell_of(item)
    if found is None:
        return
    if when == "setup":
        core = found.id.removeprefix(f"{found.setup.id}/")
        _add(item, "setup", found.setup.id)
        _add(item, "core", core)
        check = params_of(item).get("rig_check")
        if check is not None:
            _add(item, "check", check.name)
    elif when == "call":
        cell = getattr(item, "funcargs", {}).get("rig_cell")
        if cell is not None and cell.is_built:
            _describe_built(item, cell)


def _describe_built(item: pytest.Item, cell: CellUnderTest) -> None:
    facts = cell.lab.facts(cell.cell.setup)
    _add(item, "engine", cell.engine)
    _add(item, "compiler", f"{facts.toolchain.family} {facts.version}")
    _add(item, "qemu", facts.qemu)
    _add(item, "image", facts.image)
    _add(item, "reused", "yes" if cell.built.reused else "no")
    for figure in cell.measured.values():
        if figure.name in _FIGURES and figure.value is not None:
            _add(item, figure.name, f"{figure.value:.12g}")


def _add(item: pytest.Item, name: str, value: str) -> None:
    item.user_properties.append((f"rig.{name}", clean(value)))


@dataclass
class _Row:
    """A cell's line of the table."""

    figures: dict[str, str] = field(default_factory=dict)
    outcomes: Counter[str] = field(default_factory=Counter)
    failed: list[str] = field(default_factory=list)


class Summary:
    """All cells of a session, from the reports of their items."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], _Row] = {}
        self._tools: dict[str, dict[str, None]] = {}
        self._engines: dict[str, None] = {}
        self._reasons: Counter[str] = Counter()

    def take(self, report: pytest.TestReport) -> None:
        """Counts an item's outcome and keeps its figures."""
        if report.when == "teardown" and report.passed:
            return
        if report.when == "setup" and report.passed:
            return
        if report.skipped:
            self._reasons[_reason(report)] += 1
        told = {name.removeprefix("rig."): str(text) for name, text in report.user_properties}
        if "setup" not in told:
            return
        row = self._rows.setdefault((told["setup"], told["core"]), _Row())
        row.outcomes[report.outcome] += 1
        row.figures |= {name: told[name] for name in _FIGURES if name in told}
        if report.failed:
            name = report.nodeid.rpartition("::")[2].partition("[")[0]
            row.failed.append(told.get("check", name))
        if "compiler" in told:
            target = told["setup"].partition("/")[0]
            tools = [told["compiler"], f"QEMU {told['qemu']}", told["image"]]
            self._tools.setdefault(target, {}).update(dict.fromkeys(tools))
            self._engines[told["engine"]] = None

    def show(self, reporter: pytest.TerminalReporter) -> None:
        """Tools, table, reasons. With -q only the reasons."""
        if reporter.verbosity >= 0 and self._rows:
            reporter.section("rig")
            for line in self._lines():
                reporter.write_line(line)
        for reason, count in self._reasons.most_common(_REASONS):
            reporter.write_line(f"{count} left out: {reason}")

    def _lines(self) -> list[str]:
        lines = [f"engine: {engine}" for engine in self._engines]
        lines += [f"{target}: {', '.join(tools)}" for target, tools in self._tools.items()]
        figures = [n for n in _FIGURES if any(n in row.figures for row in self._rows.values())]
        heads = ["", *figures, "passed", "failed", "left out"]
        rows = [
            [
                f"{setup} {core}",
                *(row.figures.get(name, "-") for name in figures),
                *(str(row.outcomes[name]) for name in ("passed", "failed", "skipped")),
            ]
            for (setup, core), row in sorted(self._rows.items())
        ]
        lines += [*([""] if lines else []), *table(heads, rows)]
        for (setup, core), row in sorted(self._rows.items()):
            if row.failed:
                names = ", ".join(dict.fromkeys(row.failed))
                lines += wrap(f"{setup} {core} fails: {names}")
        return lines


def _reason(report: pytest.TestReport) -> str:
    longrepr = report.longrepr
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return clean(text.removeprefix("Skipped: ").partition("\n")[0])
