"""What goes on while a campaign runs, on standard error; results go to standard output.

On a terminal one live line (by rich, loaded only then); elsewhere plain lines, one for each
step of an image, each object and each cell. Every text is cleaned before it is shown.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self, TextIO

from rig.events import (
    BuildFailed,
    Built,
    CampaignStarted,
    CellJudged,
    CheckDone,
    Event,
    PairTimed,
    Progress,
    SetupFailed,
    SetupReady,
)
from rig.report.layout import clean, shorten
from rig.verdicts import VERDICTS, Blame, Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status


class ProgressSink(Protocol):
    """A sink of events that holds the terminal while it is open."""

    def __call__(self, event: Event) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@dataclass(slots=True)
class Tally:
    """Counts for the live line, from the events so far."""

    cells: int = 0
    built: int = 0
    judged: int = 0
    doing: str = ""
    verdicts: dict[Verdict, int] = field(default_factory=dict)

    def take(self, event: Event) -> str:
        """Counts an event; returns the plain line to tell of it, empty for none."""
        line = ""
        match event:
            case CampaignStarted():
                self.cells = len(event.cells)
                line = f"{self.cells} cells, seed {event.seed}, {event.engine}"
            case Progress(text):
                self.doing = line = text
            case SetupReady():
                self.doing = event.setup
                facts = event.facts
                line = f"{event.setup}: {facts.toolchain.family} {facts.version}"
            case SetupFailed():
                line = f"{event.setup}: {event.verdict.value}: {event.message}"
            case Built():
                self.built += 1
                how = "reused" if event.reused else "built"
                line = f"{how} {self.built}/{self.cells} {event.setup}/{event.core}"
            case BuildFailed():
                self.built += 1
                line = f"refused {self.built}/{self.cells} {event.setup}/{event.core}"
            case CheckDone():
                self.doing = f"{event.setup}/{event.core} {event.check}"
            case CellJudged():
                line = self._judge(event)
            case PairTimed():
                self.doing = f"timing {event.setup}"
                line = f"timed {event.setup} ({event.method})"
        return line

    def status(self) -> str:
        """``objects 3/12, cells 2/12, 2 PASS: i386/gcc/kernel/rolled lengths``."""
        verdicts = ", ".join(f"{count} {name.value}" for name, count in self.verdicts.items())
        counts = f"objects {self.built}/{self.cells}, cells {self.judged}/{self.cells}"
        return ", ".join(filter(None, [counts, verdicts])) + f": {self.doing}"

    def _judge(self, event: CellJudged) -> str:
        self.judged += 1
        self.verdicts[event.verdict] = self.verdicts.get(event.verdict, 0) + 1
        place = f"{self.judged}/{self.cells} {event.setup}/{event.core}"
        return f"{place} {event.verdict.value}"


class PlainProgress:
    """One line an event; for logs, pipes and dumb terminals."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._tally = Tally()
        self._lock = threading.Lock()

    def __call__(self, event: Event) -> None:
        with self._lock:
            line = self._tally.take(event)
            if line:
                self._stream.write(f"rig: {clean(line)}\n")
                self._stream.flush()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None


class LiveProgress:
    """One live line at the foot of a terminal; bad news stays above it."""

    def __init__(self, stream: TextIO, environ: Mapping[str, str]) -> None:
        from rich.console import Console  # noqa: PLC0415 - slow to load

        plain = bool(environ.get("NO_COLOR"))
        self._console: Console = Console(file=stream, no_color=plain, highlight=False)
        self._tally = Tally()
        self._lock = threading.Lock()
        self._status: Status = self._console.status("", spinner="line")

    def __call__(self, event: Event) -> None:
        with self._lock:
            line = self._tally.take(event)
            if line and _is_bad_news(event):
                self._console.print(clean(line), markup=False, style="red")
            self._status.update(self._text())

    def __enter__(self) -> Self:
        self._status.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._status.stop()

    def _text(self) -> str:
        from rich.markup import escape  # noqa: PLC0415

        width = max(20, self._console.width - 4)
        return escape(shorten(clean(self._tally.status()), width))


def open_progress(stream: TextIO, environ: Mapping[str, str]) -> ProgressSink:
    """Live on a terminal that can; plain lines elsewhere (no terminal, dumb, a CI)."""
    dumb = environ.get("TERM", "dumb") == "dumb" or bool(environ.get("CI"))
    if stream.isatty() and not dumb:
        return LiveProgress(stream, environ)
    return PlainProgress(stream)


def _is_bad_news(event: Event) -> bool:
    match event:
        case CellJudged():
            return VERDICTS[event.verdict].blame is not Blame.NOBODY
        case SetupFailed() | BuildFailed():
            return True
        case _:
            return False
