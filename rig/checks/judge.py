"""What all checks do alike: ask, compare with the oracle, and make the failure small.

One finding sums up a check. A wrong answer is asked again, so that a core that differs between
runs is told from one that is steadily wrong, and smaller variants of it are tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rig.cases import Case
from rig.checks import Fault, Reply, Subject
from rig.checks.shrink import smaller
from rig.makers import Cases, lines_of
from rig.printable import one_line
from rig.verdicts import VERDICTS, Blame, Finding, Verdict

if TYPE_CHECKING:
    from typing_extensions import TypeIs

_WORST = (
    Verdict.GUEST_CRASH,
    Verdict.TIMEOUT,
    Verdict.DESYNC,
    Verdict.LIMIT_EXCEEDED,
    Verdict.UNSTABLE,
    Verdict.MISMATCH,
)
"""Of several failures, the first of these gives the verdict; blame of others comes after."""

_NOT_ASKED = (Verdict.SKIPPED, Verdict.NOT_COVERED, Verdict.UNSUPPORTED)
_SHRINK_ROUNDS = 8
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that went wrong. got: the payload, or what the fault said."""

    case: Case
    verdict: Verdict
    expected: str
    got: str


@dataclass
class Tally:
    """What became of the cases of one check."""

    tried: int = 0
    failures: list[Failure] = field(default_factory=list)
    uncovered: list[str] = field(default_factory=list)
    skipped: list[Fault] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)


def is_fault(outcome: Reply | Fault) -> TypeIs[Fault]:
    """Tells the two kinds of outcome apart."""
    return hasattr(outcome, "verdict")


def judge(
    check: str,
    subject: Subject,
    cases: Iterable[Case],
    expected: Mapping[str, str] | None = None,
    shrink: bool = True,
) -> Iterator[Finding]:
    """Asks the cases and yields one finding, and another for what could not be reached.

    A case that comes twice must get the same answer. expected: line -> published answer, which
    then counts instead of the oracle's. shrink: try smaller variants of what failed.
    """
    asked = cases if isinstance(cases, Cases) else list(cases)
    tally = Tally()
    collect(tally, subject, asked, expected or {})
    failed = worst(tally.failures)
    if failed is not None:
        yield _explain(check, subject, tally, failed, shrink)
    elif tally.tried:
        yield Finding(check, Verdict.PASS, tried=tally.tried)
    if tally.skipped:
        fault = tally.skipped[0]
        text = f"{len(tally.skipped)} of {len(asked)} cases not asked: {shown(fault.text)}"
        yield Finding(check, fault.verdict, text)
    if tally.uncovered:
        text = f"{len(tally.uncovered)} of {len(asked)} cases: {shown(tally.uncovered[0])}"
        yield Finding(check, Verdict.NOT_COVERED, text)


def not_covered(check: str, feature: str, what: str) -> Finding:
    """A part of a check that this core's interface or this target does not reach."""
    return Finding(check, Verdict.NOT_COVERED, f"{what}: the guest has no '{feature}'")


def collect(
    tally: Tally, subject: Subject, cases: Sequence[Case], expected: Mapping[str, str]
) -> None:
    """Asks the cases and adds what became of each to the tally."""
    answers = subject.oracle.answers(cases)
    asked = zip(lines_of(cases), subject.ask(cases), answers, strict=True)
    for line, outcome, answer in asked:
        right = expected.get(line, answer)
        if is_fault(outcome):
            _add_fault(tally, line, right, outcome)
        elif outcome.ok:
            tally.tried += 1
            _add_answer(tally, line, right, outcome.payload)
        else:
            _add_error(tally, line, right, outcome.payload)


def worst(failures: Iterable[Failure]) -> Failure | None:
    """The smallest failure of the worst kind."""
    return min(
        failures,
        key=lambda failure: (_weight(failure.verdict), failure.case.rank),
        default=None,
    )


def shown(text: str) -> str:
    """Text of a guest in one printable line of a few hundred characters."""
    return one_line(text.encode("utf-8", "replace"), _SHOWN)


# --------------------------------------------------------------------------- one outcome


def _add_fault(tally: Tally, line: str, right: str, fault: Fault) -> None:
    if fault.verdict in _NOT_ASKED:
        tally.skipped.append(fault)
    else:
        tally.tried += 1
        tally.failures.append(Failure(Case(line), fault.verdict, right, shown(fault.text)))


def _add_error(tally: Tally, line: str, right: str, reason: str) -> None:
    kind = reason.split(" ", 1)[0]
    if kind in ("unsupported", "memory"):
        tally.uncovered.append(reason)
    else:
        tally.tried += 1
        verdict = Verdict.MISMATCH if kind == "clobber" else Verdict.DESYNC
        tally.failures.append(Failure(Case(line), verdict, right, shown(f"err {reason}")))


def _add_answer(tally: Tally, line: str, right: str, got: str) -> None:
    """A right answer leaves nothing but itself, to be compared if the case comes again."""
    before = tally.answers.setdefault(line, got)
    if before != got:
        wrong = got if got != right else before
        tally.failures.append(Failure(Case(line), Verdict.UNSTABLE, right, shown(wrong)))
    elif got != right:
        tally.failures.append(Failure(Case(line), Verdict.MISMATCH, right, shown(got)))


def _weight(verdict: Verdict) -> int:
    if verdict in _WORST:
        return _WORST.index(verdict)
    return len(_WORST) + (VERDICTS[verdict].blame is not Blame.CORE)


# --------------------------------------------------------------------------- made small


def _explain(
    check: str, subject: Subject, tally: Tally, failed: Failure, shrink: bool
) -> Finding:
    first, message = failed.case, ""
    if failed.verdict is Verdict.MISMATCH:
        failed = _repeat(subject, _shrink(subject, failed) if shrink else failed)
    if failed.case != first:
        meaning = VERDICTS[failed.verdict].meaning
        message = f"{meaning}; first seen at: {first.line[:_SHOWN]}"
    return Finding(
        check,
        failed.verdict,
        message,
        failed.case.line,
        failed.expected,
        failed.got,
        tally.tried,
        len(tally.failures),
    )


def _shrink(subject: Subject, failed: Failure) -> Failure:
    """Smaller variants, asked in a few batches, as long as one of them is wrong too."""
    for _ in range(_SHRINK_ROUNDS):
        candidates = [case for case in smaller(failed.case) if case.rank < failed.case.rank]
        tally = Tally()
        collect(tally, subject, candidates, {})
        found = worst(
            failure for failure in tally.failures if failure.verdict is Verdict.MISMATCH
        )
        if found is None:
            break
        failed = found
    return failed


def _repeat(subject: Subject, failed: Failure) -> Failure:
    """The same question twice more, with another one in between."""
    other = Case("hash in=byte:255:300")
    asked = (failed.case, other, failed.case) if other != failed.case else (failed.case,) * 3
    for case, outcome in zip(asked, subject.ask(asked), strict=True):
        if case != failed.case or is_fault(outcome):
            continue
        again = outcome.payload if outcome.ok else f"err {outcome.payload}"
        if shown(again) != failed.got:
            return Failure(case, Verdict.UNSTABLE, failed.expected, failed.got)
    return failed
