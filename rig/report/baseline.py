"""A report held against an earlier one: what moved, and what moved further than it may.

Exact figures are compared as they are. Times are compared only where a rule asks for them, and
by their intervals: a rule is broken when even the nearest ends of both are too far apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from rig.errors import ExitCode, UsageError
from rig.report.document import Report
from rig.report.layout import INDENT, shorten, table, wrap
from rig.verdicts import Measurement

_RULE = re.compile(
    r"(?P<figure>[A-Za-z][\w./-]*?)\s*(?P<sign>>\+|<-)\s*(?P<limit>\d+(?:\.\d+)?)\s*(?P<percent>%?)",
    re.ASCII,
)

Cell = tuple[str, str]
Figures = Mapping[Cell, Mapping[str, Measurement]]


@dataclass(frozen=True, slots=True)
class Rule:
    """``size>+2%``: broken by a figure that grew by more than so much; ``<-``: that fell.

    limit: per cent of the earlier figure, or, without ``percent``, in its own unit.
    """

    text: str
    figure: str
    rises: bool
    limit: float
    percent: bool

    def broken(self, old: Measurement, new: Measurement) -> bool:
        """Whether the change is beyond the limit; both have a value."""
        if self.rises:
            before, after = _high(old), _low(new)
            return after - before > self._room(before)
        before, after = _low(old), _high(new)
        return before - after > self._room(before)

    def _room(self, before: float) -> float:
        return before * self.limit / 100 if self.percent else self.limit


class Moved(NamedTuple):
    """One figure of one cell that is not what it was. broken: rules that it breaks."""

    cell: Cell
    figure: str
    old: Measurement
    new: Measurement
    broken: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """moved: what is to be shown. missing: cells that the baseline does not have. ungated:
    rules that had nothing to hold against in some cells: (rule, cells). tools: of each setup
    whose compiler is another, old and new.
    """

    moved: tuple[Moved, ...]
    compared: int
    missing: tuple[Cell, ...]
    ungated: tuple[tuple[str, tuple[Cell, ...]], ...]
    tools: tuple[tuple[str, str, str], ...]

    @property
    def exit_code(self) -> ExitCode:
        """1 when a rule is broken, else 3 when one could not be applied where it should."""
        if any(item.broken for item in self.moved):
            return ExitCode.CORE_FAILED
        return ExitCode.ENVIRONMENT if self.ungated else ExitCode.GOOD


def parse_rules(texts: Iterable[str], baseline: Report) -> tuple[Rule, ...]:
    """Rules as typed, several in one text parted by commas or blanks. Raises UsageError.

    A figure that the baseline has in no cell is refused here, before any work.
    """
    known = {name for figures in figures_of(baseline).values() for name in figures}
    rules = []
    for text in re.split(r"[,\s]+", " ".join(texts).strip()):
        if not text:
            continue
        found = _RULE.fullmatch(text)
        if found is None:
            raise UsageError(
                f"--fail-if {text}: is not a rule", "For example: 'size>+2%' or 'work>+10'."
            )
        name = found["figure"]
        if name not in known:
            near = get_close_matches(name, sorted(known), 3) or sorted(known)[:8]
            raise UsageError(
                f"--fail-if {text}: the baseline has no figure '{name}'",
                f"It has {', '.join(near)}.",
            )
        rises = found["sign"] == ">+"
        rules.append(Rule(text, name, rises, float(found["limit"]), bool(found["percent"])))
    return tuple(rules)


def figures_of(report: Report) -> Figures:
    """Every figure with a value, by cell; times of a pair stand with the core they are of."""
    found: dict[Cell, dict[str, Measurement]] = {
        (cell.setup, cell.core): {
            item.name: item for item in cell.measurements if item.value is not None
        }
        for cell in report.cells
    }
    for pair in report.pairs:
        for timing in pair.timings:
            for core, item in ((pair.before, timing.before), (pair.after, timing.after)):
                if item.value is not None and (pair.setup, core) in found:
                    found[pair.setup, core][item.name] = item
    return found


def compare(report: Report, baseline: Report, rules: Sequence[Rule]) -> Comparison:
    """What moved between two reports, cells taken by setup and name of the core."""
    old, new = figures_of(baseline), figures_of(report)
    both = [cell for cell in new if cell in old]
    moved: list[Moved] = []
    compared = 0
    for cell in both:
        for name, now in new[cell].items():
            before = old[cell].get(name)
            if before is None:
                continue
            compared += 1
            asked = [rule for rule in rules if rule.figure == name]
            broken = tuple(rule.text for rule in asked if rule.broken(before, now))
            if broken or (now.exact and before.exact and now.value != before.value):
                moved.append(Moved(cell, name, before, now, broken))
    ungated = [(rule.text, _unheld(rule, both, old, new)) for rule in rules]
    if rules and not both:
        ungated = [(rule.text, tuple(new)) for rule in rules]
    return Comparison(
        tuple(sorted(moved, key=lambda item: not item.broken)),
        compared,
        tuple(cell for cell in new if cell not in old),
        tuple((text, cells) for text, cells in ungated if cells),
        tuple(_tools(report, baseline)),
    )


def render(found: Comparison, name: str) -> str:
    """The table of what moved, as text that ends in a line end. name: of the baseline."""
    broken = sum(bool(item.broken) for item in found.moved)
    title = f"Beside {name}: {len(found.moved)} of {found.compared} figures moved"
    lines = ["", *wrap(f"{title}; {broken} beyond a limit." if broken else f"{title}.")]
    if found.moved:
        rows = [
            [
                shorten("/".join(item.cell), 36),
                item.figure,
                f"{_shown(item.old)} -> {_shown(item.new)}",
                _change(item),
            ]
            for item in found.moved
        ]
        lines += ["", *table(["", "figure", "was -> is", "change"], rows)]
    for item in found.moved:
        for rule in item.broken:
            lines += wrap(f"BROKEN {rule}: {'/'.join(item.cell)}", INDENT, INDENT + "  ")
    for rule, cells in found.ungated:
        text = f"{rule} held nothing in {len(cells)} cells: {_some(cells)}"
        lines += wrap(text, INDENT, INDENT + "  ")
    if found.missing:
        lines += wrap(f"Not in the baseline: {_some(found.missing)}", INDENT, INDENT + "  ")
    for setup, was, now in found.tools:
        lines += wrap(f"{setup}: another compiler: {was} -> {now}", INDENT, INDENT + "  ")
    return "\n".join(lines) + "\n"


def _unheld(rule: Rule, cells: Sequence[Cell], old: Figures, new: Figures) -> tuple[Cell, ...]:
    """Cells in which the baseline has the figure and this report has none."""
    return tuple(
        cell for cell in cells if rule.figure in old[cell] and rule.figure not in new[cell]
    )


def _tools(report: Report, baseline: Report) -> Iterable[tuple[str, str, str]]:
    for setup in report.setups:
        was, now = baseline.setup(setup.id).facts, setup.facts
        if was and now and was.version != now.version:
            yield setup.id, was.version, now.version


def _low(item: Measurement) -> float:
    assert item.value is not None
    return item.value if item.exact or item.low is None else item.low


def _high(item: Measurement) -> float:
    assert item.value is not None
    return item.value if item.exact or item.high is None else item.high


def _shown(item: Measurement) -> str:
    assert item.value is not None
    whole = item.exact and float(item.value).is_integer()
    return str(int(item.value)) if whole else f"{item.value:.4g}"


def _change(item: Moved) -> str:
    old, new = item.old.value or 0.0, item.new.value or 0.0
    return f"{(new - old) / old * 100:+.2f}%" if old else f"{new - old:+g}"


def _some(cells: Sequence[Cell], most: int = 4) -> str:
    names = ["/".join(cell) for cell in cells[:most]]
    more = len(cells) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
