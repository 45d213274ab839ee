"""The report as plain text: the compare table, the check table, one line.

Pure functions of the report. Everything is ASCII and at most 72 columns wide, except for
words of commands that would not repeat if they were cut.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby

from rig.model import DEFAULT_RELEASE
from rig.report.bloat import bloat as make_bloat
from rig.report.bloat import render as render_bloat
from rig.report.bloat import symbol_sizes
from rig.report.document import CellReport, PairReport, Report, SetupReport
from rig.report.failures import failure_lines, left_out_lines, observed_lines
from rig.report.frames import gap_lines, override_lines
from rig.report.layout import INDENT, clean, command, number, shorten, table, wrap
from rig.report.times import timing_lines
from rig.report.versions import version_lines
from rig.report.words import words
from rig.verdicts import Measurement

_COLUMNS = {"size": "size (bytes)", "frame": "frame (bytes)", "work": "insns/block"}
"""Measurements beside the verdict: name -> head."""

_SHORT = {"size": "size", "frame": "frame", "work": "insns/block"}
_SHORT_UNITS = "; size and frame in bytes"

_MORE = {"stack": "stack (bytes)"}
"""In a block of their own below."""

_FULL = {
    **_MORE,
    "overhead": "insns/call",
    "lines/64": "64 B lines",
    "misses/8K/2w/32/steady": "misses 8 KiB",
    "misses/32K/4w/64/cold": "cold 32 KiB",
    "constants": "constants (bytes)",
    "helpers": "helpers (bytes)",
    "distance": "symbol distance",
}
"""Likewise in a full report. Whatever else was measured stands in the JSON."""

_LABEL = 34
_FILES = 4


def render_compare(
    report: Report, *, full: bool = False, distance: bool = False, bloat: bool = False
) -> str:
    """Before / after for each setup, timing under it, then failures; ends with a line end.

    full: everything that has a column. distance: that between symbols too. bloat: each setup's
    symbols, as bloat-o-meter lists them.
    """
    labels = setup_labels(report)
    names = _measured(report.cells, _COLUMNS)
    rows = [
        [labels[pair.setup], *_pair_figures(report, pair, names), _pair_verdict(report, pair)]
        for pair in report.pairs
    ]
    heads = ["", *(_COLUMNS[name] for name in names), "verdict"]
    lines = [*_header(report, _pair_title(report)), "", *table(heads, rows)]
    more = _FULL if full else _MORE | ({"distance": _FULL["distance"]} if distance else {})
    names = _measured(report.cells, more)
    if names:
        rows = [
            [labels[pair.setup], *_pair_figures(report, pair, names)] for pair in report.pairs
        ]
        lines += ["", *table(["", *(more[name] for name in names)], rows)]
    lines += _bloats(report, labels) if bloat else []
    lines += timing_lines(report, labels, full=full)
    if full:
        lines += words(report, labels)
    return _finish(report, lines)


def render_check(report: Report) -> str:
    """A table a core: figures of each setup, cases judged, verdict; then failures."""
    labels = setup_labels(report)
    names = _measured(report.cells, _COLUMNS)
    many = "work" in names  # one core, many compilers: then the lines are to stay whole
    heads = ["", *((_SHORT if many else _COLUMNS)[name] for name in names)]
    heads += ["verdict"] if many else ["cases", "verdict"]
    title = ", ".join(core.name for core in report.cores)
    lines = _header(report, f"{_symbols(report)}: {title}{_SHORT_UNITS if many else ''}")
    cores = dict.fromkeys(cell.core for cell in report.cells)
    for core in cores:
        rows = [
            [
                labels[cell.setup],
                *(_figure(cell.measurement(name)) for name in names),
                *([] if many else [str(cell.tried)]),
                _verdict(cell),
            ]
            for cell in report.cells
            if cell.core == core
        ]
        lines += ["", *(wrap(f"{core}:") if len(cores) > 1 else []), *table(heads, rows)]
    return _finish(report, lines)


def _bloats(report: Report, labels: dict[str, str]) -> list[str]:
    """A block for each setup."""
    lines: list[str] = []
    for pair in report.pairs:
        old, new = map(symbol_sizes, _pair_cells(report, pair))
        told = render_bloat(make_bloat(old, new)) if old and new else ["not measured"]
        lines += ["", *wrap(f"{labels[pair.setup]}:"), *(INDENT + line for line in told)]
    return lines


def summary(report: Report) -> str:
    """One line: cells by verdict, cases, seconds, and whether it is partial."""
    counts = Counter(cell.verdict.value for cell in report.cells if cell.verdict)
    verdicts = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    parts = [
        f"{number(len(report.cells), 'cell')}: {verdicts or 'none judged'}",
        f"{sum(cell.tried for cell in report.cells)} cases judged",
    ]
    if report.seconds:
        parts.append(f"{report.seconds:.1f} s")
    text = "; ".join(parts)
    if report.complete:
        return text
    because = f" ({clean(report.reason)})" if report.reason else ""
    return f"PARTIAL, {report.judged} of {len(report.cells)} cells judged{because}: {text}"


def setup_labels(report: Report) -> dict[str, str]:
    """Setup id -> ``x86_64, gcc-14``, targets aligned; the profile where there are several."""
    mentioned = [*report.setups, *(report.setup(cell.setup) for cell in report.cells)]
    mentioned += [report.setup(pair.setup) for pair in report.pairs]
    names = {setup.id: _names(setup) for setup in mentioned}
    profiles = {profile for _, _, profile in names.values()}
    wide = max((len(target) for target, _, _ in names.values()), default=0) + 1
    labels = {}
    for setup, (target, compiler, profile) in names.items():
        label = f"{target + ',':{wide}} {compiler}"
        if len(profiles) > 1:
            label += f", {profile}"
        labels[setup] = shorten(clean(label), _LABEL)
    return labels


def _names(setup: SetupReport) -> tuple[str, str, str]:
    """target, compiler with its version as read, profile."""
    target, _, rest = setup.id.partition("/")
    toolchain, _, profile = rest.rpartition("/")
    if setup.facts is None:
        return target, toolchain, profile
    facts = setup.facts
    major = facts.version.partition(".")[0]
    compiler = f"{facts.toolchain.family}-{major}" if major else facts.toolchain.family
    if facts.release != DEFAULT_RELEASE:
        compiler = f"{facts.release}/{compiler}"
    return target, compiler, profile


def _measured(cells: Sequence[CellReport], columns: Iterable[str]) -> list[str]:
    found = {item.name for cell in cells for item in cell.measurements}
    return [name for name in columns if name in found]


def _pair_figures(report: Report, pair: PairReport, names: list[str]) -> list[str]:
    before, after = _pair_cells(report, pair)
    return [
        f"{_figure(before.measurement(name))} / {_figure(after.measurement(name))}"
        for name in names
    ]


def _pair_verdict(report: Report, pair: PairReport) -> str:
    return " / ".join(dict.fromkeys(map(_verdict, _pair_cells(report, pair))))


def _pair_cells(report: Report, pair: PairReport) -> tuple[CellReport, CellReport]:
    before = report.cell(pair.setup, pair.before) or CellReport(pair.setup, pair.before)
    after = report.cell(pair.setup, pair.after) or CellReport(pair.setup, pair.after)
    return before, after


def _figure(item: Measurement | None) -> str:
    """Bytes and exact counts in full, others to a tenth; ``-`` when not measured.

    A figure that is only known to be at least so much is shown as ``>=488``.
    """
    if item is None or item.value is None:
        return "-"
    at_least = not item.exact and item.low == item.value and item.high is None
    mark = ">=" if at_least else ""
    if float(item.value).is_integer() and (item.exact or item.unit == "bytes"):
        return f"{mark}{int(item.value)}"
    return mark + (f"{item.value:.1f}" if abs(item.value) >= 10 else f"{item.value:.3g}")


def _verdict(cell: CellReport) -> str:
    return cell.verdict.value if cell.verdict else "-"


def _pair_title(report: Report) -> str:
    sides = list(dict.fromkeys((pair.before, pair.after) for pair in report.pairs))
    names = ", ".join(f"{before} / {after}" for before, after in sides)
    return f"{_symbols(report)}, before / after: {names}"


def _symbols(report: Report) -> str:
    symbols = dict.fromkeys(f"{core.symbol}()" for core in report.cores)
    return " / ".join(symbols)


def _header(report: Report, title: str) -> list[str]:
    """What was compared, where, and with what."""
    profiles = dict.fromkeys(_names(setup)[2] for setup in report.setups)
    where = f"profile {', '.join(profiles)}; {report.engine}"
    if not report.isolated and "no isolation" not in report.engine:
        where += ", no isolation"
    lines = [*wrap(title), *wrap(where)]
    for text in _tools(report):
        lines += wrap(text, INDENT, INDENT + "  ")
    return lines


def _tools(report: Report) -> list[str]:
    """``i386, arm32: gcc 14.2.0, clang 19.1.7, QEMU 10.0.8 (trixie)``, equal ones together."""
    tools: dict[str, dict[str, None]] = {}
    for setup in report.setups:
        if setup.facts:
            facts = setup.facts
            stale = facts.toolchain.stale_index
            compilers = tools.setdefault(facts.target, {})
            where = f"{facts.release}, stale index" if stale else facts.release
            compilers[f"{facts.toolchain.family} {facts.version} ({where})"] = None
            if facts.qemu:
                compilers[f"QEMU {facts.qemu}"] = None
    told = {target: ", ".join(_short_release(list(names))) for target, names in tools.items()}
    ordered = sorted(told, key=lambda target: list(told.values()).index(told[target]))
    return [
        f"{', '.join(targets)}: {text}"
        for text, targets in groupby(ordered, key=lambda target: told[target])
    ]


def _short_release(names: list[str]) -> list[str]:
    """The usual release goes without saying; the emulator comes last."""
    names = [name.removesuffix(f" ({DEFAULT_RELEASE})") for name in names]
    return sorted(names, key=lambda name: name.startswith("QEMU "))


def _notes(report: Report) -> list[str]:
    """Why a figure is missing or what limits it, each reason once."""
    notes = Counter(
        (f"{item.name} not measured" if item.value is None else item.name, item.note)
        for cell in report.cells
        for item in cell.measurements
        if item.note
        and item.name in _COLUMNS | _MORE
        and (item.value is None or not item.exact)
    )
    lines: list[str] = []
    for (what, note), count in notes.items():
        lines += wrap(f"{what} in {number(count, 'cell')}: {note}", INDENT, INDENT + "  ")
    return ["", *lines] if lines else []


def _finish(report: Report, lines: list[str]) -> str:
    """Footer: reasons, failures, sources, the command, the summary."""
    lines += _notes(report) + observed_lines(report)
    lines += left_out_lines(report) + failure_lines(report)
    lines += gap_lines(report) + version_lines(report) + override_lines(report)
    lines.append("")
    for core in report.cores:
        files = [f"{path} {digest[:12]}" for path, digest in core.files.items()]
        more = [f"and {len(files) - _FILES} more files"] if len(files) > _FILES else []
        text = ", ".join([*files[:_FILES], *more])
        lines += wrap(f"{core.name} {core.digest}: sha256 {text}", INDENT, INDENT + "  ")
        if core.cflags:
            flags = " ".join(core.cflags)
            lines += wrap(f"{core.name}: its own flags: {flags}", INDENT, INDENT + "  ")
        for note in core.notes:
            lines += wrap(f"{core.name}: {note}", INDENT, INDENT + "  ")
    if report.counts:
        counts = ", ".join(f"{count} {name}" for name, count in report.counts.items())
        lines += wrap(counts, INDENT, INDENT + "  ")
    lines += wrap(summary(report), INDENT, INDENT + "  ")
    lines += command(report.command)
    return "\n".join(lines) + "\n"
