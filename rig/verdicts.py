"""What rig says about a core: verdicts, findings, measurements.

One table holds every verdict with whom it blames and what it means; exit codes follow from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from rig.errors import ExitCode


class Blame(StrEnum):
    NOBODY = "nobody"
    CORE = "core"
    ENVIRONMENT = "environment"


class Verdict(StrEnum):
    PASS = "PASS"  # noqa: S105
    MISMATCH = "MISMATCH"
    UNSTABLE = "UNSTABLE"
    GUEST_CRASH = "GUEST_CRASH"
    TIMEOUT = "TIMEOUT"
    DESYNC = "DESYNC"
    BUILD_FAILED = "BUILD_FAILED"
    LIMIT_EXCEEDED = "LIMIT_EXCEEDED"
    DATA_DEPENDENT = "DATA_DEPENDENT"
    TOOLCHAIN_FAULT = "TOOLCHAIN_FAULT"
    EMULATOR_FAULT = "EMULATOR_FAULT"
    ENVIRONMENT = "ENVIRONMENT"
    NOT_COVERED = "NOT_COVERED"
    UNSUPPORTED = "UNSUPPORTED"
    SKIPPED = "SKIPPED"


class VerdictRow(NamedTuple):
    blame: Blame
    meaning: str


VERDICTS: Mapping[Verdict, VerdictRow] = {
    Verdict.PASS: VerdictRow(Blame.NOBODY, "every answer was right"),
    Verdict.MISMATCH: VerdictRow(Blame.CORE, "a wrong answer, the same each time"),
    Verdict.UNSTABLE: VerdictRow(Blame.CORE, "answers to one question differ between runs"),
    Verdict.GUEST_CRASH: VerdictRow(Blame.CORE, "a signal or an early exit in the core"),
    Verdict.TIMEOUT: VerdictRow(Blame.CORE, "no answer before the deadline"),
    Verdict.DESYNC: VerdictRow(Blame.CORE, "output that is not an answer"),
    Verdict.BUILD_FAILED: VerdictRow(Blame.CORE, "the compiler or linker refused the core"),
    Verdict.LIMIT_EXCEEDED: VerdictRow(Blame.CORE, "over a budget, or a limit of the box"),
    Verdict.DATA_DEPENDENT: VerdictRow(Blame.CORE, "what it executes depends on the data"),
    Verdict.TOOLCHAIN_FAULT: VerdictRow(
        Blame.ENVIRONMENT, "the known-good control core fails to build or run here"
    ),
    Verdict.EMULATOR_FAULT: VerdictRow(Blame.ENVIRONMENT, "the emulator failed, not the guest"),
    Verdict.ENVIRONMENT: VerdictRow(Blame.ENVIRONMENT, "engine, image, disk or network failed"),
    Verdict.NOT_COVERED: VerdictRow(Blame.NOBODY, "the core's interface does not reach this"),
    Verdict.UNSUPPORTED: VerdictRow(Blame.NOBODY, "not possible on this target or runner"),
    Verdict.SKIPPED: VerdictRow(Blame.NOBODY, "left out, for the reason given"),
}
"""Every verdict, once: whom it blames and what it means. Exit codes follow from the blame."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found about one cell.

    case: the smallest case that shows it, as its line on the wire; empty if none applies.
    expected, got: payloads as on the wire. tried: cases judged; failed: of those, wrong.
    """

    check: str
    verdict: Verdict
    message: str = ""
    case: str = ""
    expected: str = ""
    got: str = ""
    tried: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number with unit and method. value None means not measured, and note says why.

    low, high: interval of an inexact figure; equal to value, or None, for exact ones.
    """

    name: str
    value: float | None
    unit: str
    method: str
    exact: bool
    note: str = ""
    low: float | None = None
    high: float | None = None


def exit_code(verdicts: Iterable[Verdict]) -> ExitCode:
    """A core that failed makes it 1; else anything that could not be judged makes it 3."""
    blames = {VERDICTS[verdict].blame for verdict in verdicts}
    if Blame.CORE in blames:
        return ExitCode.CORE_FAILED
    if Blame.ENVIRONMENT in blames:
        return ExitCode.ENVIRONMENT
    return ExitCode.GOOD
