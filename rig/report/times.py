"""Times as text: a block for each method, and whose time it is. Speed is native time alone."""

from __future__ import annotations

from collections.abc import Mapping

from rig.report.document import PairReport, Report, TimingReport
from rig.report.layout import clean, shorten, table, wrap
from rig.verdicts import Measurement

_EMULATED = "This is the emulator's time, not hardware's; do not read it as speed."

Timed = list[tuple[PairReport, TimingReport]]


def timing_lines(report: Report, labels: Mapping[str, str], *, full: bool = False) -> list[str]:
    """Native time first, then the emulator's. full: every length, and a single block."""
    lines = _native(_by_method(report, "native"), labels, full)
    return lines + _emulated(_by_method(report, "emulated"), labels)


def _by_method(report: Report, method: str) -> Timed:
    return [
        (pair, timing)
        for pair in report.pairs
        for timing in pair.timings
        if timing.method == method
    ]


# ------------------------------------------------------------------------------- hardware


def _native(timed: Timed, labels: Mapping[str, str], full: bool) -> list[str]:
    lines: list[str] = []
    for cpu in dict.fromkeys(timing.cpu for _, timing in timed if timing.verdict):
        here = [(p, t) for p, t in timed if t.verdict and t.cpu == cpu]
        at = here[0][1].before.note
        title = f"Native throughput {at}, before / after, on {cpu or 'a CPU without a name'}:"
        rows = [
            [
                labels[pair.setup],
                both(timing.before, timing.after),
                ratio_text(timing.ratio),
                timing.verdict.value if timing.verdict else "-",
            ]
            for pair, timing in here
        ]
        lines += ["", *wrap(title), ""]
        lines += table(["", timing_unit(here), "after / before", "verdict"], rows)
        lines += ["", *wrap(_control(here))]
        if full:
            lines += _figures(here, labels, cpu)
    return lines + _reasons(timed, labels)


def timing_unit(timed: Timed) -> str:
    """``MB/s``, as the figures say."""
    return timed[0][1].before.unit


def _control(timed: Timed) -> str:
    found = [timing.control for _, timing in timed if timing.control]
    lows = [item.low for item in found if item.low is not None]
    highs = [item.high for item in found if item.high is not None]
    if not lows or not highs:
        return "No control was taken."
    return (
        f"Control, before beside itself: {min(lows):.3f} to {max(highs):.3f}. The CPU's own"
        " time; another CPU can order the cores otherwise."
    )


def _figures(timed: Timed, labels: Mapping[str, str], cpu: str) -> list[str]:
    """A row a length, a column a setup; then one block, with hot and with cold code."""
    lines: list[str] = []
    blocks = {"MB/s": "Native throughput by length", "ns/block": "One block, native"}
    for unit, title in blocks.items():
        rows = dict.fromkeys(
            item.name
            for _, timing in timed
            for item in timing.figures
            if item.before.unit == unit
        )
        if not rows:
            continue
        by = [{item.name: item for item in timing.figures} for _, timing in timed]
        cells = [
            [name, *(both(of[name].before, of[name].after) if name in of else "-" for of in by)]
            for name in rows
        ]
        heads = [shorten(" ".join(labels[pair.setup].split()), 24) for pair, _ in timed]
        lines += ["", *wrap(f"{title} ({unit}), before / after, on {cpu}:"), ""]
        lines += table(["", *heads], cells)
    return lines


def _reasons(timed: Timed, labels: Mapping[str, str]) -> list[str]:
    """Why a setup has no speed figure, each reason once."""
    reasons: dict[str, list[str]] = {}
    for pair, timing in timed:
        if timing.verdict is None:
            note = timing.before.note.removeprefix("not measured: ")
            reasons.setdefault(note, []).append(" ".join(labels[pair.setup].split()))
    lines: list[str] = []
    for note, setups in reasons.items():
        lines += ["", *wrap(f"{'; '.join(setups)}: {note}")]
    return lines


# ------------------------------------------------------------------------------- emulator


def _emulated(timed: Timed, labels: Mapping[str, str]) -> list[str]:
    if not timed:
        return []
    notes = dict.fromkeys(timing.before.note for _, timing in timed if timing.before.note)
    what = " ".join(["Emulated throughput", *notes])
    rows = [
        [
            labels[pair.setup],
            _speed(timing.before),
            _speed(timing.after),
            ratio_text(timing.ratio, 3),
        ]
        for pair, timing in timed
    ]
    lines = ["", *wrap(f"{what} ({timing_unit(timed)}):"), ""]
    lines += table(["", "before", "after", "after / before"], rows)
    return [*lines, "", *wrap(_EMULATED)]


# ------------------------------------------------------------------------------- figures


def both(before: Measurement, after: Measurement) -> str:
    """``120 / 106``."""
    return f"{_speed(before)} / {_speed(after)}"


def ratio_text(ratio: Measurement, digits: int = 2) -> str:
    """``0.886 (0.88 - 0.90)``: the median, and its interval to so many digits."""
    if ratio.value is None:
        return "-"
    text = f"{ratio.value:.3f}"
    if ratio.low is None or ratio.high is None:
        return text
    dash = " - " if digits > 2 else "-"
    return clean(f"{text} ({ratio.low:.{digits}f}{dash}{ratio.high:.{digits}f})")


def _speed(item: Measurement) -> str:
    if item.value is None:
        return "-"
    if item.value >= 1000:
        return f"{item.value:.0f}"
    return f"{item.value:.1f}" if item.value >= 10 else f"{item.value:.3g}"
