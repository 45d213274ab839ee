"""One exception a cause. Each carries what to do next and the exit code of its kind.

The command line prints ``what`` and ``hint`` and exits with ``exit_code``; nothing else in
rig prints an error or ends the process.
"""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a shell or a CI sees. Detail is in the report."""

    GOOD = 0
    CORE_FAILED = 1
    USAGE = 2
    ENVIRONMENT = 3
    RIG_FAULT = 4
    INTERRUPTED = 130


class RigError(Exception):
    """Base of all that rig reports to its user.

    what: one sentence, what happened and where.
    hint: one sentence, what to do; may be empty where nothing can be done.
    detail: further lines worth keeping (a log's tail, a command); may be empty.
    """

    exit_code: ExitCode = ExitCode.RIG_FAULT

    def __init__(self, what: str, hint: str = "", detail: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.detail = detail

    def __str__(self) -> str:
        return self.what if not self.hint else f"{self.what}\n  {self.hint}"


class UsageError(RigError):
    """The command, a name or a configuration does not say what rig can do."""

    exit_code = ExitCode.USAGE


class SourceError(UsageError):
    """What was named as a core cannot be read as one."""


class ConfigError(UsageError):
    """A file of settings has a wrong key or value."""


class EnvironmentFault(RigError):
    """The machine, not the core: engine, image, toolchain, emulator, disk."""

    exit_code = ExitCode.ENVIRONMENT


class EngineAbsent(EnvironmentFault):
    """No container engine listens where one was looked for."""


class EngineDenied(EnvironmentFault):
    """A container engine is there and this user may not talk to it."""


class EngineTooOld(EnvironmentFault):
    """The engine and the client have no API version in common."""


class EngineHangs(EnvironmentFault):
    """The engine accepts the connection and does not answer."""


class EngineFault(EnvironmentFault):
    """The engine answered with an error, or went away in the middle."""


class ImageFault(EnvironmentFault):
    """A toolchain image could not be built, or is not what it should be."""


class ToolchainMissing(EnvironmentFault):
    """A compiler, linker or emulator is not where it should be."""


class GuestRefused(EnvironmentFault):
    """A program that is not what the cell asked for, or a guest that cannot be started.

    verdict: name of what the runner makes of it.
    """

    def __init__(
        self, what: str, hint: str = "", detail: str = "", verdict: str = "ENVIRONMENT"
    ) -> None:
        super().__init__(what, hint, detail)
        self.verdict = verdict


class StoreFault(EnvironmentFault):
    """The store cannot be written or read: permission, disk full."""


class Interrupted(RigError):
    """Ctrl-C or SIGTERM; what was done so far has been kept."""

    exit_code = ExitCode.INTERRUPTED
