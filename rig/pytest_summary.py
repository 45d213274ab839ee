"""A table a cell at the end of a session, from the properties of its items' reports.

These come from xdist's workers too, so the table needs nothing else; nor does it load what a
worker needs, for it is made where no item runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest

from rig.pytest_properties import FIGURES
from rig.report.layout import clean, table, wrap

_REASONS = 20


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
        row.figures |= {name: told[name] for name in FIGURES if name in told}
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
        figures = [n for n in FIGURES if any(n in row.figures for row in self._rows.values())]
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
