"""From events to the report. Pure: the same events give the same report.

Takes events in any order that a campaign can produce, including none of the later ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rig.errors import UsageError
from rig.events import (
    BuildFailed,
    Built,
    CampaignEnded,
    CampaignStarted,
    CellJudged,
    CheckDone,
    Event,
    Measured,
    PairTimed,
    SetupFailed,
    SetupReady,
)
from rig.report.across import across
from rig.report.document import (
    BuildReport,
    CellReport,
    CheckReport,
    Failure,
    PairReport,
    Report,
    SetupReport,
    TimingReport,
)
from rig.verdicts import Verdict

_Failed = dict[str, Verdict]


def fold(events: Iterable[Event]) -> Report:
    """The report of a stream of events that begins with CampaignStarted.

    A stream without its end gives a partial report. A cell that is judged again (a resumed
    campaign) keeps the last word. Raises UsageError when there is no beginning.
    """
    stream = iter(events)
    started = next((event for event in stream if isinstance(event, CampaignStarted)), None)
    if started is None:
        raise UsageError(
            "There is no campaign in this journal; it ended before it began.",
            "Run the campaign again.",
        )
    folding = _Folding(started)
    for event in stream:
        folding.take(event)
    return folding.report()


class _Folding:
    """What is known so far; each event replaces a part of it."""

    def __init__(self, started: CampaignStarted) -> None:
        self._started = started
        self._ended: CampaignEnded | None = None
        self._failed: _Failed = {}
        setups = dict.fromkeys(
            [setup for setup, _ in started.cells] + [setup for setup, _, _ in started.pairs]
        )
        self._setups = {setup: SetupReport(setup) for setup in setups}
        self._cells = {(setup, core): CellReport(setup, core) for setup, core in started.cells}
        self._pairs = {pair: PairReport(*pair) for pair in started.pairs}

    def take(self, event: Event) -> None:
        match event:
            case SetupReady():
                self._setups[event.setup] = replace(
                    self._setup(event.setup),
                    facts=event.facts,
                    flags=event.flags,
                    attributes=event.attributes,
                )
            case SetupFailed():
                failure = Failure(event.message, event.hint, event.detail)
                self._failed[event.setup] = event.verdict
                self._setups[event.setup] = replace(self._setup(event.setup), failure=failure)
            case PairTimed():
                self._take_timing(event)
            case CampaignEnded():
                self._ended = event
            case Built() | BuildFailed() | Measured() | CheckDone() | CellJudged():
                key = (event.setup, event.core)
                if key in self._cells:  # a control core has no cell of its own
                    self._cells[key] = _told(self._cells[key], event)

    def report(self) -> Report:
        started = self._started
        cells = tuple(self._cell_of(cell) for cell in self._cells.values())
        report = Report(
            rig=started.rig,
            command=started.command,
            started=started.started,
            seed=started.seed,
            engine=started.engine,
            isolated=started.isolated,
            checks=started.checks,
            shard=started.shard,
            cores=started.cores,
            setups=tuple(self._setups.values()),
            cells=cells,
            pairs=tuple(self._pairs.values()),
            across=self._across(cells),
            reason="it was stopped before its end",
        )
        ended = self._ended
        if ended is None:
            return report
        return replace(
            report,
            complete=ended.complete and report.judged == len(cells),
            ended=ended.ended,
            seconds=ended.seconds,
            reason=ended.reason,
            counts=ended.counts,
        )

    def _setup(self, name: str) -> SetupReport:
        return self._setups.get(name, SetupReport(name))

    def _cell_of(self, cell: CellReport) -> CellReport:
        """A cell of a failed setup has that setup's verdict, whatever else was not said."""
        if cell.verdict is None and cell.setup in self._failed:
            return replace(cell, verdict=self._failed[cell.setup])
        return cell

    def _across(self, cells: Iterable[CellReport]) -> dict[str, tuple[str, ...]]:
        """What is said of each core over all its setups; nothing for most."""
        by_core: dict[str, list[tuple[dict[str, str], Verdict]]] = {}
        for cell in cells:
            attributes = self._setup(cell.setup).attributes
            if cell.verdict and attributes:
                by_core.setdefault(cell.core, []).append((attributes, cell.verdict))
        said = {core: across(verdicts) for core, verdicts in by_core.items()}
        return {core: sentences for core, sentences in said.items() if sentences}

    def _take_timing(self, event: PairTimed) -> None:
        key = (event.setup, event.before_core, event.after_core)
        pair = self._pairs.get(key, PairReport(*key))
        kept = tuple(timing for timing in pair.timings if timing.method != event.method)
        timing = TimingReport(
            event.method,
            event.before,
            event.after,
            event.ratio,
            event.verdict,
            event.control,
            event.cpu,
            event.figures,
        )
        self._pairs[key] = replace(pair, timings=(*kept, timing))


def _told(
    cell: CellReport, event: Built | BuildFailed | Measured | CheckDone | CellJudged
) -> CellReport:
    """The cell after one more event about it."""
    match event:
        case Built():
            build = BuildReport(
                event.object_key, event.program_key, event.command, event.warnings, event.reused
            )
            return replace(cell, build=build)
        case BuildFailed():
            failure = Failure(
                event.message, event.hint, event.output, event.command, event.image
            )
            return replace(cell, failure=failure, verdict=cell.verdict or Verdict.BUILD_FAILED)
        case Measured():
            names = {item.name for item in event.measurements}
            kept = tuple(item for item in cell.measurements if item.name not in names)
            return replace(cell, measurements=(*kept, *event.measurements))
        case CheckDone():
            others = tuple(done for done in cell.checks if done.check != event.check)
            done = CheckReport(event.check, event.findings, event.seconds)
            return replace(cell, checks=(*others, done))
        case CellJudged():
            return replace(
                cell, verdict=event.verdict, finding=event.finding, diagnosis=event.diagnosis
            )
