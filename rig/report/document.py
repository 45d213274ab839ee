"""The report: what a campaign found, as one document.

A pure fold over the events of a campaign (:func:`fold`), so a journal that was cut gives a
report too, which then says that it is partial. Saved as JSON with a versioned schema and
validated when read. Within one schema version keys may be added, never changed or removed;
unknown keys are ignored.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rig.errors import ExitCode, StoreFault, UsageError
from rig.events import CoreFacts, Sides, TimeVerdict
from rig.journal import encode
from rig.model import ToolchainFacts
from rig.verdicts import Finding, Measurement, Verdict, exit_code

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA = "hashrig-report/1"

_FAMILY = "hashrig-report/"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why nothing could be judged: of a build, or of a whole setup.

    message: one sentence. detail: the tool's own text. command, image: what ran, where known.
    """

    message: str
    hint: str = ""
    detail: str = ""
    command: tuple[str, ...] = ()
    image: str = ""


@dataclass(frozen=True, slots=True)
class SetupReport:
    """A setup: facts once its toolchain was read, failure if it could not be used.

    attributes: what tells setups apart, such as ``bits`` and ``compiler``.
    """

    id: str
    facts: ToolchainFacts | None = None
    flags: tuple[str, ...] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class BuildReport:
    """How a cell's object and program came to be. Keys are of the store."""

    object_key: str
    program_key: str
    command: tuple[str, ...]
    warnings: str
    reused: bool


@dataclass(frozen=True, slots=True)
class CheckReport:
    """One check of one cell, in seconds of wall time."""

    check: str
    findings: tuple[Finding, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class CellReport:
    """setup x core. verdict None: not judged (yet). finding: the one to show first.

    diagnosis: what the failing cases have in common, where the evidence shows it.
    """

    setup: str
    core: str
    verdict: Verdict | None = None
    finding: Finding | None = None
    diagnosis: tuple[str, ...] = ()
    build: BuildReport | None = None
    failure: Failure | None = None
    measurements: tuple[Measurement, ...] = ()
    checks: tuple[CheckReport, ...] = ()

    @property
    def id(self) -> str:
        """``i386/gcc/kernel/rolled``."""
        return f"{self.setup}/{self.core}"

    @property
    def seconds(self) -> float:
        """Wall time of all its checks."""
        return sum(check.seconds for check in self.checks)

    @property
    def tried(self) -> int:
        """Cases judged by all its checks."""
        return sum(finding.tried for check in self.checks for finding in check.findings)

    def measurement(self, name: str) -> Measurement | None:
        """The measurement of that name, None when there is none."""
        return next((item for item in self.measurements if item.name == name), None)


@dataclass(frozen=True, slots=True)
class TimingReport:
    """Interleaved timing of a pair, as :class:`rig.events.PairTimed` tells it."""

    method: str
    before: Measurement
    after: Measurement
    ratio: Measurement
    verdict: TimeVerdict | None = None
    control: Measurement | None = None
    cpu: str = ""
    figures: tuple[Sides, ...] = ()


@dataclass(frozen=True, slots=True)
class PairReport:
    """setup x (before, after), with the names of the cores and what timing there is."""

    setup: str
    before: str
    after: str
    timings: tuple[TimingReport, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """A campaign. complete: every planned cell was judged and the end was reached.

    started, ended: as the campaign wrote them; ended is empty when no end was seen.
    seconds: wall time. reason: why it is partial. counts: compilations, links, ...
    across: core -> what tells the setups where it fails from the others. shard: ``2/5`` of
    one machine's part, empty for a whole.
    """

    rig: str
    command: tuple[str, ...]
    started: str
    seed: int
    engine: str
    isolated: bool
    checks: tuple[str, ...] = ()
    cores: tuple[CoreFacts, ...] = ()
    setups: tuple[SetupReport, ...] = ()
    cells: tuple[CellReport, ...] = ()
    pairs: tuple[PairReport, ...] = ()
    across: dict[str, tuple[str, ...]] = field(default_factory=dict)
    complete: bool = False
    ended: str = ""
    seconds: float = 0.0
    reason: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    shard: str = ""
    schema: str = SCHEMA

    def cell(self, setup: str, core: str) -> CellReport | None:
        """The cell of a setup and a core, None when it was not planned."""
        wanted = (setup, core)
        return next((cell for cell in self.cells if (cell.setup, cell.core) == wanted), None)

    def setup(self, name: str) -> SetupReport:
        """The setup of that id; an empty one when nothing is known of it."""
        return next((item for item in self.setups if item.id == name), SetupReport(name))

    @property
    def judged(self) -> int:
        """How many cells have a verdict."""
        return sum(cell.verdict is not None for cell in self.cells)

    @property
    def exit_code(self) -> ExitCode:
        """By the blame of all verdicts; a cell without a verdict could not be judged."""
        return exit_code(cell.verdict or Verdict.ENVIRONMENT for cell in self.cells)


def to_json(report: Report) -> bytes:
    """The document as it is saved."""
    return encode(report, indent=2) + b"\n"


def from_json(content: bytes, name: str) -> Report:
    """Reads and validates; name is for messages. Raises UsageError, a cause each."""
    _check_schema(_decode(content, name), name)
    from pydantic import ValidationError  # noqa: PLC0415

    try:
        return _adapter().validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise UsageError(
            f"{name}: is not a valid {SCHEMA}: {place}: {first['msg']}",
            "Use a report as rig wrote it.",
            detail=str(error),
        ) from error


def load(path: Path) -> Report:
    """Reads a saved report. Raises UsageError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    return from_json(content, str(path))


def save(report: Report, path: Path) -> None:
    """Writes the whole report or nothing: a file beside it first, then a rename.

    Something that is not a regular file (``/dev/stdout``, a pipe) is written as it is.
    Raises StoreFault.
    """
    content = to_json(report)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
        else:
            _replace(path.resolve(), content)
    except OSError as error:
        raise StoreFault(
            f"The report {path} cannot be written: {error.strerror}",
            "Name a file in an existing folder that can be written.",
        ) from error


def json_schema() -> dict[str, Any]:
    """The JSON schema of the document."""
    return {"$id": SCHEMA, **_adapter().json_schema()}


def _replace(path: Path, content: bytes) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)  # mkstemp makes files for this user alone
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _decode(content: bytes, name: str) -> Any:
    try:
        return json.loads(content)
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: is not JSON (byte {error.start} is not UTF-8)") from error
    except (ValueError, RecursionError) as error:
        if content.lstrip().startswith(b"{") and not content.rstrip().endswith(b"}"):
            raise UsageError(
                f"{name}: is cut off after {len(content)} bytes",
                "Copy it again, or fold the journal of the run: rig report JOURNAL.",
            ) from error
        raise UsageError(f"{name}: is not JSON ({error})") from error


def _check_schema(document: Any, name: str) -> None:
    found = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(found, str) or not found.startswith(_FAMILY):
        raise UsageError(f"{name}: is JSON but not a report of rig")
    if found != SCHEMA:
        raise UsageError(
            f"{name}: its schema is {found}, this rig reads {SCHEMA}",
            "Read it with the version of rig that wrote it.",
        )


@cache
def _adapter() -> TypeAdapter[Report]:
    from pydantic import TypeAdapter  # noqa: PLC0415 - slow to load, used on read only

    return TypeAdapter(Report)
