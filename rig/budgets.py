"""Budgets: upper limits of exact figures. A figure above its limit is LIMIT_EXCEEDED."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from rig.verdicts import Finding, Measurement, Verdict

CHECK = "budget"
"""The name under which findings of budgets stand beside those of checks."""

UNTRACED = frozenset({"size", "frame"})
"""Figures that come from the object; the others need the trace of a guest."""


@dataclass(frozen=True)
class Budget:
    """limits: figure -> the most it may be, in the figure's own unit.

    on, core: globs of setups and of names; trailing parts of a setup may be left out.
    place: where the budget was written, for messages.
    """

    limits: Mapping[str, float]
    on: str = "*"
    core: str = "*"
    place: str = ""

    def meant_for(self, setup: str, core: str) -> bool:
        """Whether a cell is under this budget."""
        on_it = fnmatchcase(setup, self.on) or fnmatchcase(setup, f"{self.on}/*")
        return on_it and fnmatchcase(core, self.core)


def judge(
    budgets: Iterable[Budget], setup: str, core: str, figures: Mapping[str, Measurement]
) -> list[Finding]:
    """A finding for each limit on a cell.

    PASS within it, LIMIT_EXCEEDED above it, NOT_COVERED where the figure was not measured.
    """
    return [
        _judge(name, limit, figures.get(name), budget.place)
        for budget in budgets
        if budget.meant_for(setup, core)
        for name, limit in budget.limits.items()
    ]


def _judge(name: str, limit: float, figure: Measurement | None, place: str) -> Finding:
    where = f" ({place})" if place else ""
    if figure is None or figure.value is None:
        why = figure.note if figure and figure.note else "nothing measured it here"
        text = f"{name} has a budget of {limit:.12g} and no figure: {why}{where}"
        return Finding(CHECK, Verdict.NOT_COVERED, text)
    unit = f" {figure.unit}" if figure.unit else ""
    text = f"{name} {figure.value:.12g} of at most {limit:.12g}{unit}{where}"
    if figure.value <= limit:
        return Finding(CHECK, Verdict.PASS, text, tried=1)
    return Finding(CHECK, Verdict.LIMIT_EXCEEDED, text, tried=1, failed=1)
