"""What reports for browsers and CI show, before it is laid out: figures, headlines, failures.

Pure functions of the report. Text that came from compilers or guests is printable ASCII here;
what it means to HTML or Markdown is for the renderers.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rig.errors import ExitCode
from rig.report.document import CellReport, PairReport, Report, SetupReport, TimingReport
from rig.report.failures import difference, repeat_command
from rig.report.layout import clean, clean_lines
from rig.verdicts import VERDICTS, Blame, Measurement, Verdict

_LEFT_OUT = (Verdict.NOT_COVERED, Verdict.UNSUPPORTED, Verdict.SKIPPED)
_DETAIL_LINES = 20
MINUS = "-"

TIMES = {
    "native": "Native time is that of the machine that ran it.",
    "emulated": "Emulated time is the emulator's, not hardware's; do not read it as speed.",
}
"""Whose time it is, in the order of how much it says."""


@dataclass(frozen=True, slots=True)
class Column:
    """A figure worth a column. what: for people who do not know it yet."""

    name: str
    head: str
    unit: str
    what: str


COLUMNS = (
    Column("size", "size", "bytes", "bytes of code and constants of the compress function"),
    Column("frame", "frame", "bytes", "stack frame, as the compiler reports it"),
    Column("stack", "stack", "bytes", "deepest stack under the trace, callees included"),
    Column("work", "work", "insns/block", "executed instructions a block; work is not speed"),
    Column("lines/64", "code lines", "64 B/block", "distinct 64-byte lines of code a block"),
)


@dataclass(frozen=True, slots=True)
class Failing:
    """A cell or setup that was not good.

    where: its id. again: the command that repeats it. at: index of the first character in which
    got differs from expected, -1 without one.
    """

    where: str
    verdict: str
    blame: str
    check: str
    message: str
    hint: str = ""
    case: str = ""
    expected: str = ""
    got: str = ""
    difference: str = ""
    at: int = -1
    again: str = ""
    diagnosis: tuple[str, ...] = ()
    detail: tuple[str, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Headline:
    """state: ``good``, ``bad``, ``unknown``. title: the verdict; text: what it rests on."""

    state: str
    title: str
    text: str


def headline(report: Report) -> Headline:
    """The verdict in one sentence, and in a second what was done for it."""
    counts = Counter(cell.verdict for cell in report.cells if cell.verdict)
    total = len(report.cells)
    bad = sum(n for verdict, n in counts.items() if VERDICTS[verdict].blame is Blame.CORE)
    unknown = total - bad - counts[Verdict.PASS] - sum(counts[v] for v in _LEFT_OUT)
    cases = sum(cell.tried for cell in report.cells)
    text = f"{_many(total, 'cell')}, {cases:,} cases judged"
    if report.seconds:
        text += (
            f" in {report.seconds:.0f} s"
            if report.seconds >= 10
            else (f" in {report.seconds:.1f} s")
        )
    if bad:
        kinds = ", ".join(
            f"{n} {v.value}" for v, n in counts.items() if VERDICTS[v].blame is Blame.CORE
        )
        return Headline("bad", f"{bad} of {_many(total, 'cell')} failed", f"{kinds}; {text}")
    if not report.complete:
        because = clean(report.reason) or "it was stopped before its end"
        title = f"Partial: {report.judged} of {_many(total, 'cell')} judged"
        return Headline("unknown", title, f"{because}; {text}")
    if report.exit_code is not ExitCode.GOOD:
        title = f"{unknown} of {_many(total, 'cell')} could not be judged"
        return Headline("unknown", title, text)
    if not total:
        return Headline("unknown", "No cell was chosen", text)
    return Headline("good", "Every answer was right", text)


def columns(report: Report) -> list[Column]:
    """The columns that any cell has a figure for."""
    found = {
        item.name
        for cell in report.cells
        for item in cell.measurements
        if item.value is not None
    }
    return [column for column in COLUMNS if column.name in found]


def figure(item: Measurement | None) -> str:
    """``27,575``, ``60.9``, ``>=488`` for a lower bound, ``-`` when not measured."""
    if item is None or item.value is None:
        return MINUS
    bound = not item.exact and item.low == item.value and item.high is None
    whole = float(item.value).is_integer()
    text = f"{int(item.value):,}" if whole else f"{item.value:,.1f}"
    return f">={text}" if bound else text


def change(before: Measurement | None, after: Measurement | None) -> float | None:
    """By how much, as a fraction of before; None where one is missing or before is 0."""
    if before is None or after is None or not before.value or after.value is None:
        return None
    return after.value / before.value - 1


def percent(fraction: float | None) -> str:
    """``-87 %``, ``+9.1 %``; nothing for None."""
    if fraction is None:
        return ""
    value = fraction * 100
    if abs(value) < 0.05:
        return "0 %"
    return f"{value:+.0f} %" if abs(value) >= 10 else f"{value:+.1f} %"


def changes(report: Report, column: Column) -> list[float]:
    """The change of one figure on each pair where both sides have it."""
    found = (
        change(*(cell.measurement(column.name) for cell in pair_cells(report, pair)))
        for pair in report.pairs
    )
    return [fraction for fraction in found if fraction is not None]


def story(report: Report) -> list[str]:
    """What changed from before to after, a sentence a figure. Never a word about speed."""
    sides = {(pair.before, pair.after) for pair in report.pairs}
    if len(sides) != 1:
        return []
    before, after = sides.pop()
    sentences = []
    for column in columns(report):
        found = sorted(changes(report, column))
        if not found:
            continue
        low, high = percent(found[0]), percent(found[-1])
        span = low if low == high else f"{low} to {high}"
        sentences.append(f"{column.head} {span}")
    if not sentences:
        return []
    return [f"{clean(after)} against {clean(before)}: {', '.join(sentences)}."]


def pair_cells(report: Report, pair: PairReport) -> tuple[CellReport, CellReport]:
    """Both cells of a pair; empty ones where nothing is known."""
    before = report.cell(pair.setup, pair.before) or CellReport(pair.setup, pair.before)
    after = report.cell(pair.setup, pair.after) or CellReport(pair.setup, pair.after)
    return before, after


def whose(timing: TimingReport) -> str:
    """``native, Some CPU``: no figure of hardware without the CPU that it is of."""
    return ", ".join(filter(None, (clean(timing.method), clean(timing.cpu))))


def verdict_of(timing: TimingReport) -> str:
    """``, faster`` where native time gave a verdict."""
    return f", {timing.verdict.value}" if timing.verdict else ""


def timed(report: Report) -> list[tuple[PairReport, TimingReport]]:
    """All timings that came to a figure, native ones first."""
    order = list(TIMES)
    found = [
        (pair, timing)
        for pair in report.pairs
        for timing in pair.timings
        if timing.ratio.value is not None
    ]
    return sorted(
        found, key=lambda one: order.index(one[1].method) if one[1].method in order else -1
    )


def time_notes(report: Report) -> list[str]:
    """A sentence on each kind of time in a report."""
    methods = {timing.method for _, timing in timed(report)}
    return [note for method, note in TIMES.items() if method in methods]


def tools(report: Report) -> list[tuple[str, str]]:
    """(target, ``gcc 14.2.0, clang 19.1.7, QEMU 10.0.8; trixie``), in order of setups."""
    found: dict[str, dict[str, None]] = {}
    for setup in report.setups:
        if setup.facts:
            facts = setup.facts
            words = found.setdefault(facts.target, {})
            words[f"{facts.toolchain.family} {facts.version} ({facts.release})"] = None
            words[f"QEMU {facts.qemu}"] = None
    return [
        (clean(target), clean(", ".join(sorted(words, key=lambda w: w.startswith("QEMU")))))
        for target, words in found.items()
    ]


def left_out(report: Report) -> list[tuple[str, str, str, int]]:
    """(verdict, check, reason, cells) of what was not judged, each reason once."""
    found: Counter[tuple[str, str, str]] = Counter(
        (finding.verdict.value, finding.check, clean(finding.message))
        for cell in report.cells
        for check in cell.checks
        for finding in check.findings
        if finding.verdict in _LEFT_OUT
    )
    return [(*key, count) for key, count in found.items()]


def failing(report: Report) -> list[Failing]:
    """Failed setups, each once, and failed cells; those of the core's own fault first."""
    found = [*_setups(report), *_cells(report)]
    return sorted(found, key=lambda one: one.blame != Blame.CORE.value)


def is_bad(cell: CellReport) -> bool:
    """Whether a cell's verdict blames anybody."""
    return cell.verdict is not None and VERDICTS[cell.verdict].blame is not Blame.NOBODY


def state(verdict: Verdict | None) -> str:
    """``good``, ``bad``, ``unknown`` or ``none``: how a verdict is to be coloured."""
    if verdict is None:
        return "unknown"
    if verdict is Verdict.PASS:
        return "good"
    blame = VERDICTS[verdict].blame
    return {Blame.CORE: "bad", Blame.ENVIRONMENT: "unknown", Blame.NOBODY: "none"}[blame]


def _setups(report: Report) -> Iterator[Failing]:
    for setup in report.setups:
        if setup.failure:
            verdict = _verdict_of(report, setup)
            yield Failing(
                where=clean(setup.id),
                verdict=verdict.value,
                blame=VERDICTS[verdict].blame.value,
                check="setup",
                message=clean(setup.failure.message),
                hint=clean(setup.failure.hint),
                detail=_cut(setup.failure.detail),
                command=_shell(setup.failure.command),
            )


def _verdict_of(report: Report, setup: SetupReport) -> Verdict:
    verdicts = (cell.verdict for cell in report.cells if cell.setup == setup.id)
    return next((verdict for verdict in verdicts if verdict), Verdict.ENVIRONMENT)


def _cells(report: Report) -> Iterator[Failing]:
    told = {setup.id for setup in report.setups if setup.failure}
    for cell in report.cells:
        if cell.setup in told or not is_bad(cell) or cell.verdict is None:
            continue
        meaning = VERDICTS[cell.verdict]
        finding, failure = cell.finding, cell.failure
        message = finding.message if finding else failure.message if failure else ""
        case = clean(finding.case) if finding else ""
        at, where = -1, ""
        if finding and finding.expected and finding.got:
            at, where = difference(finding.expected, finding.got)
        yield Failing(
            where=clean(cell.id),
            verdict=cell.verdict.value,
            blame=meaning.blame.value,
            check=clean(finding.check) if finding else "build",
            message=clean(message) or meaning.meaning,
            hint=clean(failure.hint) if failure else "",
            case=case,
            expected=clean(finding.expected) if finding else "",
            got=clean(finding.got) if finding else "",
            difference=where,
            at=at,
            again=_shell(repeat_command(report, cell, finding.case))
            if finding and case
            else "",
            diagnosis=tuple(clean(sentence) for sentence in cell.diagnosis),
            detail=_cut(failure.detail) if failure else (),
            command=_shell(failure.command) if failure else "",
        )


def _cut(text: str) -> tuple[str, ...]:
    lines = clean_lines(text)
    more = len(lines) - _DETAIL_LINES
    return (*lines[:_DETAIL_LINES], *([f"({more} more lines)"] if more > 0 else []))


def _shell(words: Sequence[str]) -> str:
    return clean(shlex.join(words))


def _many(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
