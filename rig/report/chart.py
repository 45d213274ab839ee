"""A picture of a report: size against speed, one panel a setup; up and left is better.

Speed is native time, where a CPU gave it; elsewhere a panel shows work, and says so. Needs
matplotlib, the extra ``charts``, which is loaded when a chart is drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rig.errors import StoreFault, UsageError
from rig.report.document import Report
from rig.report.layout import clean, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = (".svg", ".png")

SPEED = "MB/s, native"
WORK = "instructions a byte"

_INK, _SOFT, _GRID = "#222222", "#666666", "#dddddd"
# Okabe and Ito's palette, which people of any colour vision can tell apart
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
_MARKERS = "osD^vP"
_MOST = 24


@dataclass(frozen=True, slots=True)
class Point:
    """One core in one setup. size: bytes. height: by the panel's axis; low, high enclose it."""

    core: str
    size: float
    height: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Panel:
    """One setup. axis: SPEED or WORK. cpu: whose speed. arrows: (before, after)."""

    title: str
    axis: str
    cpu: str
    points: tuple[Point, ...]
    arrows: tuple[tuple[str, str], ...]


def panels(reports: Sequence[Report]) -> tuple[Panel, ...]:
    """A panel a setup that has a point, setups in the order of the reports."""
    setups = dict.fromkeys(setup.id for report in reports for setup in report.setups)
    found = (_panel(setup, reports) for setup in setups)
    return tuple(panel for panel in found if panel.points)


def draw(reports: Sequence[Report], path: Path) -> None:
    """Writes an SVG or PNG, by the name's end. Raises UsageError and StoreFault."""
    if path.suffix.lower() not in FORMATS:
        raise UsageError(f"{path}: a chart is .svg or .png", "For example: -o chart.svg")
    found = panels(reports)
    if not found:
        raise UsageError(
            "There is nothing to draw: no setup has a core's size together with speed or work.",
            "rig compare and rig check --json write such reports, unless --no-work is given.",
        )
    if len(found) > _MOST:
        raise UsageError(f"{len(found)} setups are too many for one chart", "Choose with --on.")
    _save(_figure(found), path)


def _panel(setup: str, reports: Sequence[Report]) -> Panel:
    speeds, cpus, arrows = _speeds(setup, reports)
    cells = [cell for report in reports for cell in report.cells if cell.setup == setup]
    cores = dict.fromkeys(cell.core for cell in cells)
    points: dict[str, Point] = {}
    axis = SPEED if speeds and len(cpus) == 1 else WORK
    for cell in cells:
        size = cell.measurement("size")
        if size is None or size.value is None or cell.core in points:
            continue
        if axis == SPEED:
            if cell.core in speeds:
                points[cell.core] = Point(cell.core, size.value, *speeds[cell.core])
            continue
        work = cell.measurement("work/byte")
        if work is not None and work.value is not None:
            points[cell.core] = Point(cell.core, size.value, *([work.value] * 3))
    drawn = tuple(points[core] for core in cores if core in points)
    pairs = tuple(pair for pair in arrows if all(core in points for core in pair))
    cpu = next(iter(cpus)) if axis == SPEED else ""
    return Panel(_title(setup, reports), axis, cpu, drawn, pairs)


def _speeds(
    setup: str, reports: Sequence[Report]
) -> tuple[dict[str, tuple[float, float, float]], set[str], list[tuple[str, str]]]:
    """By core, (MB/s, low, high); the CPUs that were timed; the pairs."""
    speeds: dict[str, tuple[float, float, float]] = {}
    cpus: set[str] = set()
    arrows: dict[tuple[str, str], None] = {}
    for report in reports:
        for pair in (one for one in report.pairs if one.setup == setup):
            arrows[pair.before, pair.after] = None
            for timing in pair.timings:
                if timing.verdict is None:
                    continue
                cpus.add(timing.cpu)
                for core, item in ((pair.before, timing.before), (pair.after, timing.after)):
                    if item.value is not None:
                        ends = (item.low or item.value, item.high or item.value)
                        speeds.setdefault(core, (item.value, *ends))
    return speeds, cpus, list(arrows)


def _title(setup: str, reports: Sequence[Report]) -> str:
    """``i386, gcc 14.2.0, kernel``."""
    target, _, rest = setup.partition("/")
    toolchain, _, profile = rest.rpartition("/")
    for report in reports:
        facts = report.setup(setup).facts
        if facts is not None:
            toolchain = f"{facts.toolchain.family} {facts.version}"
    return shorten(clean(f"{target}, {toolchain}, {profile}"), 40)


# ------------------------------------------------------------------------------- drawing


def _figure(found: Sequence[Panel]) -> Any:
    try:
        from matplotlib.figure import Figure  # noqa: PLC0415 - slow, and an extra
    except ImportError as error:
        raise UsageError(
            "Charts need matplotlib, which is not installed.", "pip install 'hashrig[charts]'"
        ) from error
    columns = min(len(found), 2 if len(found) <= 4 else 3)
    rows = math.ceil(len(found) / columns)
    figure = Figure(figsize=(4.0 * columns + 0.4, 3.0 * rows + 0.9), layout="constrained")
    names = dict.fromkeys(point.core for panel in found for point in panel.points)
    looks = {
        core: (_COLOURS[n % len(_COLOURS)], _MARKERS[n % len(_MARKERS)])
        for n, core in enumerate(names)
    }
    axes = figure.subplots(rows, columns, squeeze=False).flatten()
    limits = _size_limits(point.size for panel in found for point in panel.points)
    for number, ax in enumerate(axes):
        if number >= len(found):
            ax.set_axis_off()
            continue
        _draw(ax, found[number], looks, limits)
    heading = "Size of the compress function against speed; up and left is better"
    if any(panel.axis == WORK for panel in found):
        heading += "\nwork is not speed: it stands where no CPU gave a time"
    figure.suptitle(heading, fontsize=11, color=_INK)
    return figure


def _draw(
    ax: Axes, panel: Panel, looks: dict[str, tuple[str, str]], limits: tuple[float, float]
) -> None:
    known = {point.core: point for point in panel.points}
    for before, after in panel.arrows:
        ax.annotate(
            "",
            (known[after].size, known[after].height),
            (known[before].size, known[before].height),
            arrowprops={
                "arrowstyle": "->",
                "color": _SOFT,
                "shrinkA": 7,
                "shrinkB": 7,
                "linewidth": 0.9,
            },
        )
    low = _lower_ends(panel)
    for point in panel.points:
        colour, marker = looks[point.core]
        spread = [[point.height - point.low], [point.high - point.height]]
        ax.errorbar(
            point.size,
            point.height,
            yerr=spread if panel.axis == SPEED else None,
            color=colour,
            marker=marker,
            markersize=7,
            markeredgecolor="white",
            capsize=2,
            linestyle="none",
        )
        ax.annotate(
            shorten(clean(point.core), 20),
            (point.size, point.height),
            xytext=(0, -9 if point.core in low else 8),
            textcoords="offset points",
            ha="center",
            va="top" if point.core in low else "bottom",
            fontsize=8.5,
            color=colour,
        )
    _dress(ax, panel, limits)


def _lower_ends(panel: Panel) -> set[str]:
    """Cores whose arrow goes upwards from them: their names stand below, out of its way."""
    up = -1 if panel.axis == WORK else 1
    height = {point.core: up * point.height for point in panel.points}
    ends = [(one, other) for one, other in panel.arrows] + [(b, a) for a, b in panel.arrows]
    return {one for one, other in ends if height[one] < height[other]}


def _dress(ax: Axes, panel: Panel, limits: tuple[float, float]) -> None:
    ax.set_xscale("log")
    ax.set_xlim(*limits)
    ticks = [t for t in (250, 500, 1000, 2000, 5000, 10000, 20000, 50000) if _within(t, limits)]
    ax.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    ax.minorticks_off()
    ax.set_xlabel("size (bytes)", fontsize=9, color=_SOFT)
    ends = [end for point in panel.points for end in (point.low, point.high)]
    room = max(max(ends) - min(ends), 0.12 * max(ends))
    low, high = max(min(ends) - 0.35 * room, 0.0), max(ends) + 0.35 * room
    if panel.axis == WORK:  # less is better, and better is up
        ax.set_ylim(high, low)
        ax.set_ylabel(f"{WORK} (less is up)", fontsize=9, color=_SOFT)
    else:
        ax.set_ylim(low, high)
        ax.set_ylabel(SPEED, fontsize=9, color=_SOFT)
    subtitle = f"on {shorten(clean(panel.cpu), 44)}" if panel.cpu else "work, not speed"
    ax.set_title(f"{panel.title}\n", fontsize=10, color=_INK, loc="left")
    ax.text(0, 1.02, subtitle, transform=ax.transAxes, fontsize=8, color=_SOFT)
    ax.grid(color=_GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=8, colors=_SOFT)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(_GRID)


def _size_limits(sizes: Iterable[float]) -> tuple[float, float]:
    """The same for all panels, with room for names at the edges."""
    known = list(sizes)
    return min(known) / 1.7, max(known) * 1.7


def _within(value: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= value <= limits[1]


def _save(figure: Any, path: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415

    # the same report gives the same file, and its text stays text
    own: Any = {"svg.hashsalt": "rig", "svg.fonttype": "none"}
    metadata = {"Date": None} if path.suffix.lower() == ".svg" else {}
    try:
        with mpl.rc_context(own):
            figure.savefig(path, dpi=150, metadata=metadata, facecolor="white")
    except OSError as error:
        raise StoreFault(
            f"The chart {path} cannot be written: {error.strerror}", "Name another file."
        ) from error
