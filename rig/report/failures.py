"""What failed, as text: verdict, smallest case, expected and got, how to see it again."""

from __future__ import annotations

from collections.abc import Iterator

from rig.report.document import CellReport, Failure, Report, SetupReport
from rig.report.frames import option_lines
from rig.report.layout import INDENT, clean, command, number, shorten, wrap, wrap_lines
from rig.verdicts import VERDICTS, Blame, Finding, Verdict

_DEEP = INDENT * 2
_ROOM = 50
"""Columns for a payload beside its label."""
_LINES = 6
"""Lines shown of what a compiler or engine said."""
_ANSWERED = (Verdict.MISMATCH, Verdict.UNSTABLE)
"""What these got is an answer; what others got is how the guest ended, in words."""
_OBSERVES = "constant-time"
_LEFT_OUT = (Verdict.NOT_COVERED, Verdict.UNSUPPORTED, Verdict.SKIPPED)


def failure_lines(report: Report) -> list[str]:
    """A paragraph for each cell that failed; a failed setup is told once."""
    lines: list[str] = []
    for setup in report.setups:
        if setup.failure:
            lines += ["", *_setup(report, setup, setup.failure)]
    told = {setup.id for setup in report.setups if setup.failure}
    for cell in report.cells:
        if cell.setup not in told and cell.verdict and _is_bad(cell.verdict):
            lines += ["", *_cell(report, cell)]
    for core, sentences in report.across.items():
        lines += ["", *wrap(f"{core}: {'; '.join(sentences)}", INDENT, _DEEP)]
    return lines


def left_out_lines(report: Report) -> list[str]:
    """What was not covered, with the reason, each once."""
    reasons: dict[tuple[str, str, str], int] = {}
    for cell in report.cells:
        for check in cell.checks:
            for finding in check.findings:
                if finding.verdict in _LEFT_OUT:
                    key = (finding.verdict.value, finding.check, finding.message)
                    reasons[key] = reasons.get(key, 0) + 1
    lines: list[str] = []
    for (verdict, name, message), count in reasons.items():
        text = f"{verdict}, {name}, {number(count, 'cell')}: {message}"
        lines += wrap(text, INDENT, INDENT + "  ")
    return ["", *lines] if lines else []


def observed_lines(report: Report) -> list[str]:
    """What was looked for and not seen: of checks whose passing is worth a sentence."""
    found: dict[tuple[str, str], int] = {}
    for cell in report.cells:
        for check in cell.checks:
            for finding in check.findings:
                if finding.check == _OBSERVES and finding.verdict is Verdict.PASS:
                    key = (finding.check, finding.message)
                    found[key] = found.get(key, 0) + 1
    lines: list[str] = []
    for (name, message), count in found.items():
        lines += wrap(f"{name}, {number(count, 'cell')}: {message}", INDENT, INDENT + "  ")
    return ["", *lines] if lines else []


def repeat_command(report: Report, cell: CellReport, case: str) -> list[str]:
    """The command that asks one case of one cell again, as words."""
    typed = [core.origin for core in report.cores if core.name == cell.core]
    spec = next((origin for origin in typed if origin in report.command), cell.core)
    words = ["rig", "check", spec, "--on", cell.setup]
    return [*words, *_given(report.command, "--engine"), "--case", case]


def difference(expected: str, got: str) -> tuple[int, str]:
    """Index of the first character that differs, and what that is in words.

    Payloads are hex fields separated by commas; -1 when they are equal.
    """
    if expected == got:
        return -1, "no difference"
    index = next(
        (
            at
            for at, (one, other) in enumerate(zip(expected, got, strict=False))
            if one != other
        ),
        min(len(expected), len(got)),
    )
    start = expected.rfind(",", 0, index) + 1
    field = expected.count(",", 0, index)
    where = f"byte {(index - start) // 2}" if _is_hex(expected) else f"character {index}"
    if _is_hex(expected) and "," in expected:
        names = ("h", "t", "f")
        where += f" of {names[field]}" if field < len(names) else f" of field {field}"
    return index, f"first difference at {where}"


def _is_bad(verdict: Verdict) -> bool:
    return VERDICTS[verdict].blame is not Blame.NOBODY


def _is_hex(payload: str) -> bool:
    return bool(payload) and all(character in "0123456789abcdef," for character in payload)


def _given(argv: tuple[str, ...], option: str) -> list[str]:
    """An option and its value as they were given, both spellings; empty if not given."""
    for index, word in enumerate(argv):
        if word == option and index + 1 < len(argv):
            return [option, argv[index + 1]]
        if word.startswith(f"{option}="):
            return [word]
    return []


def _setup(report: Report, setup: SetupReport, failure: Failure) -> Iterator[str]:
    verdict = next(
        (cell.verdict for cell in report.cells if cell.setup == setup.id and cell.verdict), None
    )
    name = verdict.value if verdict else "not judged"
    yield from wrap(f"{setup.id}: {name}", INDENT, _DEEP)
    yield from _failure(failure)


def _cell(report: Report, cell: CellReport) -> Iterator[str]:
    assert cell.verdict
    check = f" in {cell.finding.check}" if cell.finding and cell.finding.check else ""
    yield from wrap(f"{cell.setup}, {cell.core}: {cell.verdict.value}{check}", INDENT, _DEEP)
    if cell.failure:
        yield from _failure(cell.failure)
    elif cell.finding:
        yield from _finding(report, cell, cell.finding)
    else:
        yield from wrap(VERDICTS[cell.verdict].meaning, _DEEP)
    if cell.verdict is Verdict.LIMIT_EXCEEDED:
        yield from option_lines(cell, _DEEP)
    for sentence in cell.diagnosis:
        yield from wrap(f"diagnosis: {sentence}", _DEEP, _DEEP + "  ")
    also = [
        f"{check.check} {finding.verdict.value} ({finding.failed} of {finding.tried})"
        for check in cell.checks
        for finding in check.findings
        if _is_bad(finding.verdict) and finding != cell.finding
    ]
    if also:
        yield from wrap(f"also: {', '.join(also)}", _DEEP, _DEEP + "  ")


def _failure(failure: Failure) -> Iterator[str]:
    yield from wrap(failure.message, _DEEP)
    if failure.hint:
        yield from wrap(failure.hint, _DEEP)
    said = [
        line for line in failure.detail.split("\n") if line.strip() != failure.message.strip()
    ]
    yield from wrap_lines("\n".join(said), _DEEP + "> ", _LINES)
    if failure.image:
        yield from wrap(f"image: {failure.image}", _DEEP)
    if failure.command:
        yield f"{_DEEP}command:"
        yield from command(failure.command, _DEEP + "  ")


def _finding(report: Report, cell: CellReport, finding: Finding) -> Iterator[str]:
    message = finding.message or VERDICTS[finding.verdict].meaning
    if finding.failed:
        message = f"{finding.failed} of {finding.tried} cases: {message}"
    yield from wrap(message, _DEEP)
    if finding.case:
        yield _DEEP + f"case      {shorten(clean(finding.case).strip(), _ROOM)}".rstrip()
    if finding.got and finding.verdict not in _ANSWERED:
        yield from wrap(f"got       {finding.got}", _DEEP, f"{_DEEP}          ")
    elif finding.expected or finding.got:
        index, where = difference(finding.expected, finding.got)
        yield _DEEP + f"expected  {_window(finding.expected, index)}"
        yield _DEEP + f"got       {_window(finding.got, index)}"
        if finding.expected and finding.got:
            yield _DEEP + where
    if finding.case:
        yield f"{_DEEP}again:"
        yield from command(repeat_command(report, cell, finding.case), _DEEP + "  ")


def _window(payload: str, index: int) -> str:
    """The part of a payload around the first difference, cut to fit."""
    text = clean(payload).rstrip() or "(nothing)"
    if len(text) <= _ROOM:
        return text
    start = max(0, min(index - 16, len(text) - _ROOM + 6)) // 2 * 2
    shown = text[start : start + _ROOM - 6]
    head = "..." if start else ""
    tail = "..." if start + len(shown) < len(text) else ""
    return f"{head}{shown}{tail}".rstrip()
