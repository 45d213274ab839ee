"""A few digests once more, with one instruction per translation block: they must agree.

An emulator that translates a block wrongly gives one answer for whole blocks and another for
single instructions; a core that is wrong gives the same wrong answer both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rig.cases import Case
from rig.checks import Fault, Reply, Subject
from rig.checks.judge import is_fault, shown
from rig.errors import GuestRefused
from rig.guest import Guest
from rig.lab import Lab
from rig.model import Cell
from rig.verdicts import Finding, Verdict

CHECK = "stepwise"

CASES = (
    "hash",
    "hash in=inc:0:129 key=inc:0:32",
    "hash n=20 in=lcg:3:1000",
    "hash n=1 in=byte:255:256 at=1",
)
"""An empty message, a key, many blocks, all bits set at an odd address."""


def compare(
    cell: Cell, lab: Lab, subject: Subject, guest: Guest, also: Sequence[str] = ()
) -> Finding:
    """One finding: PASS, or EMULATOR_FAULT with the case at which the two ways differ.

    subject: the cell as usual. guest: of the subject; its next act, if it has one, is stepwise,
    which saves a box. also: lines of cases to ask on top of :data:`CASES`. A core
    that differs from itself is UNSTABLE. SKIPPED where answers fail to come; other checks tell
    of that. Raises EnvironmentFault when the engine fails.
    """
    cases = [Case(line) for line in dict.fromkeys((*CASES, *also))]
    usual = _payloads(subject.ask(cases))
    try:
        stepped = _stepped(cell, lab, cases, guest)
        differing = [n for n in usual if n in stepped and usual[n] != stepped[n]]
        if not differing:
            tried = len(usual.keys() & stepped.keys())
            return Finding(CHECK, Verdict.PASS if tried else Verdict.SKIPPED, tried=tried)
        first = differing[0]
        again = (_payloads(subject.ask(cases[: first + 1])), _stepped(cell, lab, cases, guest))
    except GuestRefused as error:
        return Finding(CHECK, Verdict.SKIPPED, f"one instruction a block: {error.what}")
    same = again[0].get(first) == usual[first] and again[1].get(first) == stepped[first]
    facts = lab.facts(cell.setup)
    text = (
        f"qemu {facts.qemu} answers otherwise when it translates one instruction a block "
        f"({facts.compiler} {facts.version})"
    )
    return Finding(
        CHECK,
        Verdict.EMULATOR_FAULT if same else Verdict.UNSTABLE,
        text if same else "",
        cases[first].line,
        shown(stepped[first]),
        shown(usual[first]),
        len(cases),
        len(differing),
    )


def _stepped(cell: Cell, lab: Lab, cases: Sequence[Case], guest: Guest) -> dict[int, str]:
    lines = [case.line for case in cases]
    replies = guest.ask_next_act(lines)
    if replies is not None:
        return _payloads(replies)
    with lab.guest(cell, stepwise=True) as alone:
        answers = _payloads(alone.ask(lines))
        lab.count_guest(alone)
    return answers


def _payloads(outcomes: Iterable[Reply | Fault]) -> dict[int, str]:
    """Number of the case -> its answer, where there was one."""
    return {n: one.payload for n, one in enumerate(outcomes) if not is_fault(one)}
