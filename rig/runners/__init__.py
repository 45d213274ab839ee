"""Runners: how a program is executed, and what its death means."""

from __future__ import annotations

import signal
from enum import StrEnum
from typing import NamedTuple, Protocol

from rig.model import Exit
from rig.printable import printable
from rig.verdicts import Verdict


class Ability(StrEnum):
    """What can be asked of a runner: answers, a trace of its steps, times of hardware."""

    CHECK = "check"
    TRACE = "trace"
    TIME = "time"


class Explanation(NamedTuple):
    """A death, explained. text: one line, for messages."""

    verdict: Verdict
    text: str


class Runner(Protocol):
    """How programs of one target are executed."""

    @property
    def name(self) -> str: ...
    @property
    def abilities(self) -> frozenset[Ability]: ...

    def argv(self, program: str) -> tuple[str, ...]:
        """The command that runs ``program``, a file in the box's work folder."""
        ...

    def explain(self, exit: Exit, stderr: bytes, *, started: bool = True) -> Explanation:
        """Why a process ended before it should have.

        started: it had said who it is; what failed was then not its start.
        """
        ...


_FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_LIMITS: dict[int, str] = {signal.SIGXCPU: "CPU time", signal.SIGXFSZ: "file size"}


def status_of(exit: Exit) -> tuple[int | None, int | None]:
    """(status, signal), one of them None, also where a shell or an init stood in between.

    Such a one reports signal n as status 128 + n; 255 is a status: there is no signal 127.
    """
    if exit.signal is not None and exit.signal > signal.NSIG:
        return 128 + exit.signal, None
    if exit.signal is None and exit.code is not None and 128 < exit.code <= 128 + signal.NSIG:
        return None, exit.code - 128
    return exit.code, exit.signal


def explain_common(exit: Exit) -> Explanation | None:
    """Deaths that mean the same under every runner; None for all others."""
    _, number = status_of(exit)
    if exit.lost:
        return Explanation(Verdict.ENVIRONMENT, f"the box vanished: {exit.lost}")
    if exit.oom:
        return Explanation(Verdict.LIMIT_EXCEEDED, "the memory limit of the box ended it")
    if exit.killed:
        return Explanation(Verdict.GUEST_CRASH, "it closed its output and did not end")
    if number in _FROM_OUTSIDE:
        return Explanation(
            Verdict.ENVIRONMENT, f"something outside of rig ended it ({signal_name(number)})"
        )
    if number in _LIMITS:
        return Explanation(Verdict.LIMIT_EXCEEDED, f"over the limit of {_LIMITS[number]}")
    return None


def explain_status(code: int | None, stderr: bytes) -> Explanation:
    """A guest that ended by itself."""
    return Explanation(
        Verdict.GUEST_CRASH,
        f"it exited with status {code} before it answered{last_line(stderr)}",
    )


def explain_shell(code: int | None, stderr: bytes) -> Explanation | None:
    """What a shell says when it cannot execute a command (POSIX: 126 and 127)."""
    if code == 127:
        return Explanation(Verdict.ENVIRONMENT, f"a command was not found{last_line(stderr)}")
    if code == 126:
        why = "not executable here: another architecture, no permission, or a noexec mount"
        return Explanation(Verdict.ENVIRONMENT, f"{why}{last_line(stderr)}")
    return None


def signal_name(number: int) -> str:
    """``SIGSEGV``, or ``signal 77`` for one that has no name here."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def last_line(stderr: bytes) -> str:
    """``: <last line>`` of standard error, or nothing."""
    lines = printable(stderr, 400).split("\n")
    return f": {lines[-1]}" if lines[-1] else ""
