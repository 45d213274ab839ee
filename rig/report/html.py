"""The report as one page that needs nothing else: no script, no font, no other file.

The template gets printable ASCII and escapes it; a policy in the page forbids whatever would
still be loaded or run.
"""

from __future__ import annotations

from dataclasses import dataclass

from rig.report.document import CellReport, CheckReport, Report
from rig.report.layout import clean, clean_lines
from rig.report.text import setup_labels
from rig.report.view import (
    MINUS,
    Column,
    change,
    changes,
    columns,
    failing,
    figure,
    headline,
    left_out,
    pair_cells,
    percent,
    state,
    time_notes,
    timed,
    tools,
    verdict_of,
    whose,
)
from rig.verdicts import VERDICTS, Measurement, Verdict

_WARNING_LINES = 40


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar of a chart. width: percent of the longest. side: ``before``, ``after``, ``one``."""

    side: str
    name: str
    text: str
    width: float


@dataclass(frozen=True, slots=True)
class BarGroup:
    """The bars of one setup, with what changed."""

    label: str
    bars: tuple[Bar, ...]
    moved: str = ""
    better: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars of one figure over all setups; less is better for each of them."""

    column: Column
    groups: tuple[BarGroup, ...]


@dataclass(frozen=True, slots=True)
class Tile:
    """What changed in one figure, in large."""

    head: str
    what: str
    value: str
    better: str


def render(report: Report) -> str:
    """The whole page."""
    from jinja2 import (  # noqa: PLC0415 - loaded where a page is made
        Environment,
        PackageLoader,
        StrictUndefined,
    )

    environment = Environment(
        loader=PackageLoader("rig.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["clean"] = clean
    environment.filters["marked"] = _marked
    labels = {setup: " ".join(text.split()) for setup, text in setup_labels(report).items()}
    return environment.get_template("report.html").render(
        report=report,
        top=headline(report),
        title=_title(report),
        tiles=_tiles(report),
        columns=columns(report),
        labels=labels,
        rows=_rows(report, labels),
        charts=_charts(report, labels),
        failing=failing(report),
        timings=_timings(report, labels),
        time_notes=time_notes(report),
        left_out=left_out(report),
        tools=tools(report),
        cells=[_cell(cell, labels) for cell in report.cells],
        command=clean(" ".join(report.command)),
    )


def _marked(payload: str, at: int) -> tuple[str, str, str]:
    """A payload in three: equal so far, the byte that differs first, the rest."""
    if at < 0:
        return payload, "", ""
    start = at - (at - payload.rfind(",", 0, at) - 1) % 2
    return payload[:start], payload[start : start + 2], payload[start + 2 :]


def _title(report: Report) -> str:
    sides = list(dict.fromkeys((pair.before, pair.after) for pair in report.pairs))
    if sides:
        return ", ".join(clean(f"{before} against {after}") for before, after in sides)
    return ", ".join(clean(core.name) for core in report.cores)


def _tiles(report: Report) -> list[Tile]:
    tiles = []
    for column in columns(report):
        found = sorted(changes(report, column))
        if not found or len({(pair.before, pair.after) for pair in report.pairs}) != 1:
            continue
        low, high = percent(found[0]), percent(found[-1])
        value = low if low == high else f"{low} to {high}"
        better = "good" if found[-1] < 0 else "bad" if found[0] > 0 else "none"
        tiles.append(Tile(column.head, column.what, value, better))
    return tiles


def _rows(report: Report, labels: dict[str, str]) -> list[dict[str, object]]:
    """A row a pair, or a row a cell where nothing is compared."""
    shown = columns(report)
    if not report.pairs:
        return [
            {
                "label": labels[cell.setup],
                "core": clean(cell.core),
                "id": _anchor(cell),
                "figures": [{"after": figure(cell.measurement(c.name))} for c in shown],
                "verdicts": [_verdict(cell)],
            }
            for cell in report.cells
        ]
    rows: list[dict[str, object]] = []
    for pair in report.pairs:
        before, after = pair_cells(report, pair)
        rows.append(
            {
                "label": labels[pair.setup],
                "core": "",
                "id": _anchor(after),
                "figures": [_moved(before, after, column) for column in shown],
                "verdicts": list(
                    {str(v["name"]): v for v in (_verdict(before), _verdict(after))}.values()
                ),
            }
        )
    return rows


def _moved(before: CellReport, after: CellReport, column: Column) -> dict[str, str]:
    one, other = before.measurement(column.name), after.measurement(column.name)
    fraction = change(one, other)
    if figure(one) == figure(other) == MINUS:
        return {"after": MINUS}
    return {
        "before": figure(one),
        "after": figure(other),
        "moved": percent(fraction),
        "better": _better(fraction),
    }


def _better(fraction: float | None) -> str:
    if fraction is None or abs(fraction) < 0.0005:
        return "none"
    return "good" if fraction < 0 else "bad"


def _charts(report: Report, labels: dict[str, str]) -> list[Chart]:
    return [chart for column in columns(report) if (chart := _chart(report, column, labels))]


def _chart(report: Report, column: Column, labels: dict[str, str]) -> Chart | None:
    values = [
        item.value
        for cell in report.cells
        if (item := cell.measurement(column.name)) and item.value is not None
    ]
    longest = max(values, default=0)
    if not longest:
        return None

    def bar(side: str, cell: CellReport) -> Bar:
        item = cell.measurement(column.name)
        value = item.value if item and item.value is not None else 0
        return Bar(side, clean(cell.core), figure(item), round(100 * value / longest, 2))

    if not report.pairs:
        groups = [
            BarGroup(f"{labels[cell.setup]}, {clean(cell.core)}", (bar("one", cell),))
            for cell in report.cells
            if figure(cell.measurement(column.name)) != MINUS
        ]
        return Chart(column, tuple(groups))
    groups = []
    for pair in report.pairs:
        before, after = pair_cells(report, pair)
        moved = change(before.measurement(column.name), after.measurement(column.name))
        bars = (bar("before", before), bar("after", after))
        if all(one.text == MINUS for one in bars):
            continue
        groups.append(BarGroup(labels[pair.setup], bars, percent(moved), _better(moved)))
    return Chart(column, tuple(groups))


def _timings(report: Report, labels: dict[str, str]) -> list[dict[str, str]]:
    return [
        {
            "label": labels[pair.setup],
            "method": whose(timing),
            "before": f"{figure(timing.before)} {clean(timing.before.unit)}",
            "after": f"{figure(timing.after)} {clean(timing.after.unit)}",
            "ratio": _ratio(timing.ratio) + verdict_of(timing),
        }
        for pair, timing in timed(report)
    ]


def _ratio(ratio: Measurement) -> str:
    if ratio.value is None:
        return "-"
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.3f}"
    return f"{ratio.value:.3f} ({ratio.low:.3f} - {ratio.high:.3f})"


def _cell(cell: CellReport, labels: dict[str, str]) -> dict[str, object]:
    """A section a cell."""
    build = cell.build
    return {
        "id": _anchor(cell),
        "label": labels[cell.setup],
        "core": clean(cell.core),
        "verdict": _verdict(cell),
        "tried": f"{cell.tried:,}",
        "seconds": f"{cell.seconds:.1f}",
        "figures": [
            {
                "name": clean(item.name),
                "value": figure(item),
                "unit": clean(item.unit),
                "how": clean(item.note if item.value is None else item.method),
            }
            for item in cell.measurements
        ],
        "checks": [_check(check) for check in cell.checks],
        "command": clean(" ".join(build.command)) if build else "",
        "reused": bool(build and build.reused),
        "warnings": clean_lines(build.warnings)[:_WARNING_LINES] if build else [],
    }


def _check(check: CheckReport) -> dict[str, object]:
    worst = next((f for f in check.findings if f.verdict is not Verdict.PASS), None)
    verdict = worst.verdict if worst else Verdict.PASS
    return {
        "name": clean(check.check),
        "verdict": {"name": verdict.value, "state": state(verdict)},
        "tried": f"{sum(f.tried for f in check.findings):,}",
        "seconds": f"{check.seconds:.2f}",
        "message": clean(worst.message) if worst else "",
    }


def _verdict(cell: CellReport) -> dict[str, str]:
    if cell.verdict is None:
        return {"name": "not judged", "state": "unknown", "meaning": "no word on it"}
    return {
        "name": cell.verdict.value,
        "state": state(cell.verdict),
        "meaning": VERDICTS[cell.verdict].meaning,
    }


def _anchor(cell: CellReport) -> str:
    """An id for links within the page."""
    return "".join(c if c.isalnum() and c.isascii() else "-" for c in cell.id)
