"""The journal: a campaign's events, one JSON object a line, appended as they happen.

A line counts once its line end is on disk and it reads as an event; so the file is a valid
journal after a cut at any byte, and the cut line alone is lost. The first line names the
schema. Written with the standard library only; pydantic validates on read.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from rig.errors import StoreFault, UsageError
from rig.events import CampaignEnded, CellJudged, Event, Progress, Sink

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SCHEMA = "hashrig-journal/1"

_HEADER = json.dumps({"schema": SCHEMA}).encode() + b"\n"
_SYNCED = (CellJudged, CampaignEnded)
"""What must survive the machine's crash, not just ours: one sync a cell is cheap."""


def plain(value: Any) -> Any:
    """Dataclasses, tuples, enums and mappings as what JSON has; a non-finite number is null."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def encode(value: Any, indent: int | None = None) -> bytes:
    """JSON in UTF-8. Halves of surrogate pairs (odd file names) become ``?``."""
    text = json.dumps(plain(value), ensure_ascii=False, allow_nan=False, indent=indent)
    return text.encode("utf-8", "replace")


class Journal:
    """A file of events. An existing journal goes on after its last whole line.

    Safe to append to from several threads; not for two processes at once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            whole = _whole_lines(path)
            self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            _hold(self._fd)
            os.ftruncate(self._fd, whole)
        except OSError as error:
            raise _unwritable(path, error) from error
        self._end = whole
        if whole == 0:
            self._write(_HEADER)

    def append(self, event: Event) -> None:
        """Keeps one event; progress lines are not kept. Raises StoreFault (disk full, ...)."""
        if isinstance(event, Progress):
            return
        with self._lock:
            self._write(encode(event) + b"\n")
            if isinstance(event, _SYNCED):
                self._sync()

    def close(self) -> None:
        """Syncs and closes; idempotent."""
        with self._lock:
            if self._fd < 0:
                return
            try:
                self._sync()
            finally:
                os.close(self._fd)
                self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        # At a fixed offset, so that a line torn by Ctrl-C or a full disk is written over by
        # the next one instead of standing in the middle of the file.
        done = 0
        try:
            while done < len(line):
                done += os.pwrite(self._fd, line[done:], self._end + done)
            self._end += len(line)
        except BaseException as error:
            with suppress(OSError):
                os.ftruncate(self._fd, self._end)
            if isinstance(error, OSError):
                raise _unwritable(self.path, error) from error
            raise

    def _sync(self) -> None:
        try:
            os.fsync(self._fd)
        except OSError as error:
            raise _unwritable(self.path, error) from error


def read(path: Path) -> tuple[list[Event], bool]:
    """All events of a journal, and whether its end was cut off.

    Raises UsageError for a file that is no journal, of another schema, or damaged before
    its last line.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    return parse(content, str(path))


def parse(content: bytes, name: str) -> tuple[list[Event], bool]:
    """As :func:`read`, from bytes; name is for messages."""
    *lines, rest = content.split(b"\n")
    if not lines:
        if _HEADER.startswith(rest):
            return [], True
        raise UsageError(f"{name}: is not a journal of rig")
    _check_header(lines[0], name)
    events: list[Event] = []
    for number, line in enumerate(lines[1:], start=2):
        try:
            events.append(_adapter().validate_json(line))
        except ValueError as error:
            if number == len(lines) and not rest:
                return events, True
            raise UsageError(
                f"{name}: line {number} is damaged",
                "Only a cut last line can be left out; run the campaign again.",
                detail=str(error),
            ) from error
    return events, bool(rest)


def tee(*sinks: Sink) -> Sink:
    """One sink that hands each event to all, in one order, from any thread."""
    lock = threading.RLock()

    def sink(event: Event) -> None:
        with lock:
            for each in sinks:
                each(event)

    return sink


def replay(events: Iterable[Event], sink: Sink) -> None:
    """Hands recorded events to a sink."""
    for event in events:
        sink(event)


def _check_header(line: bytes, name: str) -> None:
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    found = header.get("schema") if isinstance(header, dict) else None
    if found is None:
        raise UsageError(f"{name}: is not a journal of rig")
    if found != SCHEMA:
        raise UsageError(
            f"{name}: its schema is {found}, this rig reads {SCHEMA}",
            "Read it with the version of rig that wrote it.",
        )


@cache
def _adapter() -> TypeAdapter[Event]:
    from typing import Annotated  # noqa: PLC0415

    from pydantic import Field, TypeAdapter  # noqa: PLC0415 - slow to load, used on read only

    return TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def _whole_lines(path: Path) -> int:
    """Bytes up to where a new line may go; checks that the file is a journal."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return 0
    events, _ = parse(content, str(path))
    lines = content.split(b"\n", len(events) + 1)[: len(events) + 1]
    has_header = b"\n" in content
    return sum(len(line) + 1 for line in lines) if has_header else 0


def _hold(descriptor: int) -> None:
    """A lock that ends with this process tells a journal in use from one left behind."""
    with suppress(OSError):  # not every file system has locks
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _unwritable(path: Path, error: OSError) -> StoreFault:
    return StoreFault(
        f"The journal {path} cannot be written: {error.strerror}",
        "Free some space or set RIG_CACHE to a folder that can be written.",
    )
