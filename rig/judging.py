"""One cell, from its object to its verdict: figures, checks, and whom to blame.

Before a core is blamed, a known-good control core must have passed in the same image, with the
same compiler and emulator: otherwise the fault is theirs.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from rig import budgets as limits
from rig import stepping
from rig.budgets import Budget
from rig.build import Built, Refused
from rig.cases import Case
from rig.checks import Check, Fault, Reply
from rig.checks.judge import judge
from rig.checks.replay import REPLAY
from rig.diagnosis import diagnose
from rig.errors import EnvironmentFault, GuestRefused, Interrupted, RigError
from rig.events import BuildFailed, CellJudged, CheckDone, Measured, Sink
from rig.events import Built as BuiltEvent
from rig.guest import Guest, Relay
from rig.lab import GUEST_LIMITS, Lab
from rig.makers import lines_of
from rig.measures import bloat, constant_time, frame, not_measured, size
from rig.model import Cell, Setup
from rig.oracle import Oracle
from rig.runners.qemu_user import QemuUser
from rig.trace import Emulator, qemu_version
from rig.verdicts import VERDICTS, Blame, Finding, Measurement, Verdict

CONTROL_CASES = (
    "hash",
    "hash in=inc:0:129 key=inc:0:32",
    "hash n=20 in=lcg:3:1000",
    "compress h=lcg:1:64 in=lcg:1:256",
)
"""What a control core must answer: an empty message, a key, several blocks, a raw state."""

_ORDER = (
    Verdict.TOOLCHAIN_FAULT,
    Verdict.EMULATOR_FAULT,
    Verdict.ENVIRONMENT,
    Verdict.BUILD_FAILED,
    Verdict.GUEST_CRASH,
    Verdict.TIMEOUT,
    Verdict.DESYNC,
    Verdict.LIMIT_EXCEEDED,
    Verdict.UNSTABLE,
    Verdict.MISMATCH,
    Verdict.DATA_DEPENDENT,
)
"""Of several verdicts of one cell, the first of these is the cell's."""


@dataclass(frozen=True)
class CellSubject:
    """A cell as the checks see it (:class:`rig.checks.Subject`)."""

    guest: Guest
    oracle: Oracle
    setup: Setup
    object_: bytes
    externals: frozenset[str]
    features: frozenset[str]
    seed: int = 1
    long: bool = False

    def ask(self, cases: Iterable[Case]) -> Iterator[Reply | Fault]:
        return self.guest.ask(lines_of(cases))


def measure(cell: Cell, built: Built, lab: Lab) -> tuple[Measurement, ...]:
    """The exact figures of an object: size, frame, and every symbol's size."""
    core = cell.core
    also = None if lab.catalog.adapter(core.adapter).whole else core.parts
    return (
        *size.of(built.object, core.symbol, also),
        *frame.of(built.stack_usage, core.symbol, also),
        *bloat.of(built.object),
    )


def traced(cell: Cell, lab: Lab, features: frozenset[str]) -> tuple[Measurement, ...]:
    """Work, stack and code lines; where there is no trace, why. features: of the guest."""
    try:
        return lab.traced(cell, raw="compress" in features)
    except Interrupted:
        raise
    except RigError as error:
        return tuple(
            not_measured(name, unit, "the guest's trace", error.what)
            for name, unit in (("work", "insns/block"), ("stack", "bytes"))
        )


def steadiness(cell: Cell, lab: Lab, features: frozenset[str]) -> Finding:
    """Whether what a cell executes was one and the same for all data that was tried."""
    built = lab.built(cell)
    ready, open_box = lab.ready(cell.setup), lab.engine.open
    qemu = QemuUser(cell.setup.target).argv("guest")[:-1]
    emulator = Emulator(qemu, qemu_version(lab.facts(cell.setup).qemu))
    try:
        return constant_time.observe(
            lambda argv, files: open_box(ready, argv, files, GUEST_LIMITS),
            emulator,
            built.program,
            cell.core.symbol,
            raw="compress" in features,
        )
    except Interrupted:
        raise
    except RigError as error:
        text = f"no trace to look at: {error.what}"
        return Finding(constant_time.CHECK, Verdict.NOT_COVERED, text)


def subject_of(cell: Cell, lab: Lab, guest: Guest, seed: int, long: bool) -> CellSubject:
    """Raises GuestRefused when the guest cannot be started."""
    return CellSubject(
        guest=guest,
        oracle=lab.oracle,
        setup=cell.setup,
        object_=lab.built(cell).object,
        externals=frozenset(lab.catalog.adapter(cell.core.adapter).externals),
        features=frozenset(guest.hello.features),
        seed=seed,
        long=long,
    )


def run_check(check: Check, subject: CellSubject) -> list[Finding]:
    """All findings of one check; a part that the core's interface lacks is NOT_COVERED."""
    return list(check.run(subject))


def worst(findings: Sequence[Finding]) -> Finding | None:
    """The finding that gives a cell its verdict; None when nothing blames anybody."""
    bad = [f for f in findings if VERDICTS[f.verdict].blame is not Blame.NOBODY]
    return min(bad, key=lambda f: _ORDER.index(f.verdict), default=None)


def judge_cell(
    cell: Cell,
    result: Built | Refused,
    lab: Lab,
    checks: Sequence[Check],
    sink: Sink,
    *,
    seed: int,
    long: bool,
    trace: bool,
    relay: Relay,
    followers: Sequence[Cell] = (),
    constant: bool = False,
    budgets: Sequence[Budget] = (),
) -> None:
    """Measures and checks one cell; every event of it goes to ``sink``.

    trace: take work and stack too. constant: look whether what runs depends on the data.
    budgets: limits that the figures are held against. relay, followers: as
    :meth:`rig.lab.Lab.guest` takes them.
    """
    place = (cell.setup.id, cell.core.name)
    if isinstance(result, Refused):
        _tell_refusal(cell, result, lab, sink)
        return
    keys = (result.object_key, result.program_key)
    sink(BuiltEvent(*place, *keys, result.command, result.log, result.reused))
    figures = measure(cell, result, lab)
    sink(Measured(*place, figures))
    findings, features = _check(cell, lab, checks, sink, seed, long, relay, followers)
    lab.go_on()  # what is stopped fails in many ways; none of them is a verdict
    if trace and features is not None:
        steps = traced(cell, lab, features)
        sink(Measured(*place, steps))
        figures += steps
    if constant and features is not None:
        varies = steadiness(cell, lab, features)
        sink(CheckDone(*place, varies.check, (varies,), 0.0))
        findings.append(varies)
    over = limits.judge(budgets, *place, {figure.name: figure for figure in figures})
    if over:
        sink(CheckDone(*place, limits.CHECK, tuple(over), 0.0))
    found = worst([*findings, *over])
    if found is None:
        judged = any(f.verdict is Verdict.PASS for f in findings)
        sink(CellJudged(*place, Verdict.PASS if judged else Verdict.NOT_COVERED))
        return
    if found.check in (limits.CHECK, constant_time.CHECK):  # exact: no control explains it
        sink(CellJudged(*place, found.verdict, found))
        return
    blamed = acquit(found, cell, lab)
    lab.go_on()
    sink(CellJudged(*place, blamed.verdict, blamed, _diagnosis(blamed, cell, lab, seed)))


def _diagnosis(blamed: Finding, cell: Cell, lab: Lab, seed: int) -> tuple[str, ...]:
    """What the failing cases of a core have in common, asked of a fresh guest."""
    if VERDICTS[blamed.verdict].blame is not Blame.CORE:
        return ()
    with ExitStack() as stack:
        try:
            guest = stack.enter_context(lab.guest(cell, give_up=2, confirm=False))
            stack.callback(lab.count_guest, guest)
            return diagnose(subject_of(cell, lab, guest, seed, long=False))
        except GuestRefused:
            return ()


def _tell_refusal(cell: Cell, refused: Refused, lab: Lab, sink: Sink) -> None:
    place = (cell.setup.id, cell.core.name)
    sink(
        BuildFailed(
            *place,
            refused.message,
            refused.command,
            refused.image,
            refused.output,
            refused.hint,
        )
    )
    finding = Finding("build", Verdict.BUILD_FAILED, refused.message)
    blamed = acquit(finding, cell, lab)
    lab.go_on()
    sink(CellJudged(*place, blamed.verdict, blamed))


def _check(
    cell: Cell,
    lab: Lab,
    checks: Sequence[Check],
    sink: Sink,
    seed: int,
    long: bool,
    relay: Relay,
    followers: Sequence[Cell],
) -> tuple[list[Finding], frozenset[str] | None]:
    """Findings of all checks, and the guest's features; None when it cannot be started."""
    findings: list[Finding] = []
    features = None
    with ExitStack() as stack:
        try:
            guest = stack.enter_context(lab.guest(cell, relay=relay, followers=followers))
            stack.callback(lab.count_guest, guest)
            subject = subject_of(cell, lab, guest, seed, long)
            features = subject.features
            for check in checks:
                begun = time.monotonic()
                found = run_check(check, subject)
                seconds = time.monotonic() - begun
                sink(
                    CheckDone(cell.setup.id, cell.core.name, check.name, tuple(found), seconds)
                )
                findings += found
            if all(check.name != REPLAY for check in checks):  # one case means one case
                findings += _stepwise(cell, lab, subject, findings, sink)
        except GuestRefused as error:
            findings.append(Finding("start", Verdict(error.verdict), error.what))
        except EnvironmentFault as error:
            findings.append(Finding("start", Verdict.ENVIRONMENT, error.what))
    return findings, features


def _stepwise(
    cell: Cell, lab: Lab, subject: CellSubject, findings: Sequence[Finding], sink: Sink
) -> list[Finding]:
    """The look at the emulator, where the checks left a guest that answers."""
    found = worst(findings)
    if found is not None and found.verdict is not Verdict.MISMATCH:
        return []
    begun = time.monotonic()
    also = [found.case] if found and found.case else []
    looked = stepping.compare(cell, lab, subject, subject.guest, also)
    seconds = time.monotonic() - begun
    sink(CheckDone(cell.setup.id, cell.core.name, looked.check, (looked,), seconds))
    return [looked]


# ------------------------------------------------------------------------------- blame


def acquit(found: Finding, cell: Cell, lab: Lab) -> Finding:
    """The finding as it is, unless the control core fails here too: then it is not the core.

    A guest that does not start where the control does, is the core's own fault.
    """
    try:
        wrong = lab.control_fault(cell, control_passes)
    except EnvironmentFault as error:
        if VERDICTS[found.verdict].blame is not Blame.CORE:
            return found
        text = f"the control core cannot be asked, so nobody is blamed: {error.what}"
        return Finding(found.check, Verdict.ENVIRONMENT, text, found.case)
    if wrong is not None:
        return wrong
    if found.check == "start" and found.verdict is Verdict.ENVIRONMENT:
        text = f"{found.message}; the control core starts here"
        return Finding(found.check, Verdict.GUEST_CRASH, text)
    return found


def control_passes(control: Cell, lab: Lab) -> Finding | None:
    """None when the control core passes here, else what it shows, with versions."""
    result = lab.result(control)
    facts = lab.facts(control.setup)
    versions = f"{facts.compiler} {facts.version}, qemu {facts.qemu}"
    name = f"the control core '{control.core.name}'"
    if isinstance(result, Refused):
        text = f"{name} does not build ({versions}): {result.message}"
        return Finding("control", Verdict.TOOLCHAIN_FAULT, text)
    with ExitStack() as stack:
        try:
            guest = stack.enter_context(lab.guest(control))
            stack.callback(lab.count_guest, guest)
            subject = subject_of(control, lab, guest, seed=1, long=False)
            (found, *_) = judge("control", subject, map(Case, CONTROL_CASES))
        except GuestRefused as error:
            return Finding(
                "control",
                _fault_of(Verdict(error.verdict)),
                f"{name} ({versions}): {error.what}",
            )
    if found.verdict is Verdict.PASS:
        return None
    text = f"{name} fails ({versions}): {found.verdict} {found.message} {found.case}"
    return Finding(
        "control", _fault_of(found.verdict), text, found.case, found.expected, found.got
    )


def _fault_of(verdict: Verdict) -> Verdict:
    """Whose fault a failing control core shows: wrong answers are the compiler's."""
    if VERDICTS[verdict].blame is Blame.ENVIRONMENT:
        return verdict
    return Verdict.TOOLCHAIN_FAULT if verdict is Verdict.MISMATCH else Verdict.EMULATOR_FAULT
