"""What an interrupted campaign had judged already, for one that goes on.

A cell counts when its last word had been said and blames no machine, and when its program is
the same now, byte for byte of what went into it: the core, the compiler, the guest, the image.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rig.build import Built as Made
from rig.events import BuildFailed, Built, CellJudged, CheckDone, Event, Measured, Sink
from rig.verdicts import VERDICTS, Blame

Earlier = Mapping[tuple[str, str], tuple[Event, ...]]
"""(setup id, core) -> all events of that cell."""

_OF_CELLS = (Built, BuildFailed, Measured, CheckDone, CellJudged)


def judged(events: Iterable[Event]) -> Earlier:
    """Cells of a stream whose judgement can be taken over."""
    open_: dict[tuple[str, str], list[Event]] = {}
    done: dict[tuple[str, str], tuple[Event, ...]] = {}
    for event in events:
        if not isinstance(event, _OF_CELLS):
            continue
        key = (event.setup, event.core)
        if isinstance(event, Built):
            open_[key] = []
        open_.setdefault(key, []).append(event)
        if isinstance(event, CellJudged):
            told = open_.pop(key)
            fair = VERDICTS[event.verdict].blame is not Blame.ENVIRONMENT
            if fair and isinstance(told[0], Built):
                done[key] = tuple(told)
    return done


def take_over(earlier: Earlier, setup: str, core: str, made: Made, sink: Sink) -> bool:
    """Tells the sink what was found of a cell before; False when it must be judged anew."""
    events = earlier.get((setup, core), ())
    built = events[0] if events else None
    if not isinstance(built, Built):
        return False
    if (built.object_key, built.program_key) != (made.object_key, made.program_key):
        return False
    for event in events:
        sink(event)
    return True
