"""When a core wins and when it does not, in the words of a commit message.

Counts of work and of code lines are exact and say where a core must win or lose by that count;
which is faster on a CPU, only native time says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rig.events import TimeVerdict
from rig.report.document import CellReport, PairReport, Report, TimingReport
from rig.report.layout import INDENT, wrap

LINES = "lines/64"
_CACHES = {
    "8K/2w/32": "8 KiB",
    "16K/4w/32": "16 KiB",
    "32K/4w/64": "32 KiB",
}


class Counts(NamedTuple):
    """One core's exact counts for a block. misses: preset -> in steady state."""

    core: str
    work: int
    lines: int
    misses: Mapping[str, int]


def words(report: Report, labels: Mapping[str, str]) -> list[str]:
    """A paragraph for each setup of which the counts are known."""
    lines: list[str] = []
    for pair in report.pairs:
        sides = [_counts(report.cell(pair.setup, name)) for name in (pair.before, pair.after)]
        if sides[0] is None or sides[1] is None:
            continue
        label = " ".join(labels[pair.setup].split())
        text = f"{label}: {weigh(sides[0], sides[1])} {_native(pair)}"
        lines += ["", *wrap(text, INDENT, INDENT)]
    if lines:
        lines += ["", *wrap("Counts are of work and of code, not of speed.")]
    return lines


def weigh(before: Counts, after: Counts) -> str:
    """What the core after costs and saves beside the one before, and where that pays."""
    work, lines = after.work - before.work, after.lines - before.lines
    text = (
        f"{after.core} executes {_compared(work, 'instruction')} a block"
        f"{_share(work, before.work)} and touches {_compared(lines, '64-byte line')} of code"
    )
    return f"{text}: {_where(before, after, work, lines)}. {_in_caches(before, after)}"


def _where(before: Counts, after: Counts, work: int, lines: int) -> str:
    if not work and not lines:
        return "by these counts there is nothing between them"
    if work * lines >= 0:  # no count speaks against one of the two
        less = after if work + lines < 0 else before
        return f"by both counts {less.core} has less to do, with hot code and with cold"
    small, big = (after, before) if lines < 0 else (before, after)
    price = abs(work) / abs(lines)
    return (
        f"by these counts {small.core} wins where refilling a line costs more than"
        f" {price:.1f} instructions, and does not where its code stays in the cache and"
        f" {big.core}'s does too"
    )


def _in_caches(before: Counts, after: Counts) -> str:
    """``In 8 KiB unrolled misses 860 times, rolled never; in 32 KiB neither misses.``"""
    groups: dict[tuple[int, int], list[str]] = {}
    for preset, name in _CACHES.items():
        if preset in before.misses and preset in after.misses:
            both = (before.misses[preset], after.misses[preset])
            groups.setdefault(both, []).append(name)
    parts = []
    for (one, other), names in groups.items():
        where = f"in {' and '.join(names)}"
        if one == other:
            parts.append(f"{where} {'both miss ' + _times(one) if one else 'neither misses'}")
        else:
            parts.append(
                f"{where} {before.core} misses {_times(one)}, {after.core} {_times(other)}"
            )
    if not parts:
        return ""
    return f"An instruction cache, over a block in steady state: {'; '.join(parts)}."


def _native(pair: PairReport) -> str:
    timing = next((one for one in pair.timings if one.method == "native"), None)
    if timing is None:
        return "Native time was not taken."
    ratio = timing.ratio
    if timing.verdict is None or ratio.value is None:
        note = timing.before.note.removeprefix("not measured: ")
        return f"{note[:1].upper()}{note[1:]}."
    cpu = timing.cpu or "this CPU"
    if timing.verdict is TimeVerdict.UNSTABLE:
        return f"Native time on {cpu} was unstable, which says nothing of speed."
    if timing.verdict is TimeVerdict.INDISTINGUISHABLE:
        said = f"indistinguishable from {pair.before}"
    else:
        said = f"{timing.verdict.value}, {ratio.value:.3f} of {pair.before}'s speed"
    return f"By native time on {cpu}, {pair.after} is {said}{_blocks(timing)}."


def _blocks(timing: TimingReport) -> str:
    """``; one block takes 1102 / 1242 ns hot, 4957 / 1842 ns flushed code``."""
    known = {item.name: item for item in timing.figures}
    parts = []
    for kind in ("hot", "cold code", "flushed code"):
        item = known.get(f"one block, {kind}")
        if item and item.before.value is not None and item.after.value is not None:
            parts.append(f"{item.before.value:.0f} / {item.after.value:.0f} ns {kind}")
    return f"; one block by itself takes {', '.join(parts)}" if parts else ""


def _counts(cell: CellReport | None) -> Counts | None:
    if cell is None:
        return None
    found = {
        item.name: int(item.value)
        for item in cell.measurements
        if item.exact and item.value is not None
    }
    if "work" not in found or LINES not in found:
        return None
    misses = {
        preset: found[f"misses/{preset}/steady"]
        for preset in _CACHES
        if f"misses/{preset}/steady" in found
    }
    return Counts(cell.core, found["work"], found[LINES], misses)


def _compared(difference: int, what: str) -> str:
    if not difference:
        return f"as many {what}s"
    plural = what if abs(difference) == 1 else f"{what}s"
    return f"{abs(difference)} {'more' if difference > 0 else 'fewer'} {plural}"


def _share(difference: int, whole: int) -> str:
    percent = f"{100 * difference / whole:+.1f}" if whole else "0.0"
    return "" if float(percent) == 0 else f" ({percent}%)"


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")
