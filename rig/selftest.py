"""rig shows that it catches faults: three cores broken by one edit each, and the good one.

The broken cores are made from the built-in ``rolled``, so that they need no file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rig.campaign import Plan
from rig.catalog import Catalog
from rig.errors import ExitCode, RigError, UsageError
from rig.model import Core, Setup
from rig.report.document import CellReport, Report
from rig.report.layout import clean, shorten
from rig.verdicts import VERDICTS, Blame, Verdict

ORIGINAL = "rolled"
CHECKS = ("vectors", "counters")
"""The quickest that can catch these; a good core must pass them."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit of the good core. wanted: what rig must say of it. breaks: in words."""

    name: str
    at: str
    put: str
    wanted: Verdict
    breaks: str


EDITS = (
    Edit(
        "rotation",
        "b = ror64(b ^ c, 63);",
        "b = ror64(b ^ c, 62);",
        Verdict.MISMATCH,
        "rotates by 62 bits, not by 63",
    ),
    Edit(
        "carry",
        "state->t[1] += state->t[0] < inc;",
        "",
        Verdict.MISMATCH,
        "forgets the carry of the counter at 2^64 bytes",
    ),
    Edit(
        "trap",
        "state->t[0] += inc;",
        "if (state->t[0] > 200) __builtin_trap(); state->t[0] += inc;",
        Verdict.GUEST_CRASH,
        "crashes in longer messages",
    ),
)


def broken(original: Core, edit: Edit) -> Core:
    """The core with one edit. Raises RigError when its text is not there once."""
    source = original.files[original.unit].decode("ascii")
    if source.count(edit.at) != 1:
        raise RigError(f"selftest: {edit.at!r} is not in {ORIGINAL} once")
    text = source.replace(edit.at, edit.put).encode("ascii")
    files = {**original.files, original.unit: text}
    return replace(original, name=edit.name, files=files, origin=f"{ORIGINAL}, edited")


def plan(known: Catalog, setups: Sequence[Setup], command: tuple[str, ...]) -> Plan:
    """The broken cores and the good one, on one setup. Raises UsageError for none."""
    if not setups:
        raise UsageError("no setup is left to test on")
    original = known.core(ORIGINAL)
    cores = (*(broken(original, edit) for edit in EDITS), original)
    return Plan("check", cores, (setups[0],), checks=CHECKS, command=command)


def exit_code(report: Report) -> ExitCode:
    """Good when all was as it must be; a broken core that passes is a fault in rig."""
    right = [_is_right(report, name, wanted) for name, wanted, _ in _expected()]
    if all(right):
        return ExitCode.GOOD
    verdicts = [cell.verdict for cell in report.cells]
    faulty = any(v is None or VERDICTS[v].blame is Blame.ENVIRONMENT for v in verdicts)
    return ExitCode.ENVIRONMENT if faulty else ExitCode.RIG_FAULT


def render(report: Report) -> str:
    """A line a core: what is wrong with it, and what rig said, at which case."""
    setup = report.cells[0].setup if report.cells else "no setup"
    lines = [f"{setup}; {clean(report.engine)}"]
    for name, wanted, breaks in _expected():
        cell = _cell(report, name)
        found = cell.verdict.value if cell and cell.verdict else "not judged"
        good = "passed" if wanted is Verdict.PASS else "caught"
        how = good if _is_right(report, name, wanted) else f"WRONG, not {wanted.value}:"
        lines.append(f"{how:7} {found:12} {name}: {breaks}")
        if cell and cell.finding and cell.finding.case:
            lines.append(f"{'':21}{shorten(clean(cell.finding.case), 50)}")
    return "\n".join(lines) + "\n"


def _expected() -> list[tuple[str, Verdict, str]]:
    broken_ones = [(edit.name, edit.wanted, edit.breaks) for edit in EDITS]
    return [*broken_ones, (ORIGINAL, Verdict.PASS, "is right")]


def _cell(report: Report, name: str) -> CellReport | None:
    return next((cell for cell in report.cells if cell.core == name), None)


def _is_right(report: Report, name: str, wanted: Verdict) -> bool:
    cell = _cell(report, name)
    return cell is not None and cell.verdict is wanted
