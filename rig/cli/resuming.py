"""--resume: what the journals of interrupted runs hold, and their end once it is used."""

from __future__ import annotations

import fcntl
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rig.campaign import Plan, question
from rig.errors import UsageError
from rig.events import CampaignStarted, Event
from rig.journal import read
from rig.resume import Earlier, judged


def with_earlier(plan: Plan, runs: Path) -> tuple[Plan, Sequence[Path]]:
    """The plan, with cells that interrupted runs judged by the same questions.

    Returns also the journals that they come from, oldest first.
    """
    wanted = question(plan)
    cells = {(cell.setup.id, cell.core.name) for cell in plan.cells}
    earlier: dict[tuple[str, str], tuple[Event, ...]] = {}
    used = []
    for path in sorted(runs.glob("*.jsonl")):
        found = {key: told for key, told in _judged(path, wanted).items() if key in cells}
        if found:
            used.append(path)
            earlier |= found
    return replace(plan, earlier=earlier), used


def remove_used(paths: Sequence[Path]) -> None:
    """Removes journals whose cells a finished report holds; one still written to stays."""
    for path in paths:
        try:
            with path.open("rb") as journal:
                fcntl.flock(journal, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.unlink()
        except OSError:
            continue


def _judged(path: Path, wanted: str) -> Earlier:
    try:
        events, _ = read(path)
    except UsageError:  # of another version, or damaged: nothing to go on with
        return {}
    started = [event for event in events if isinstance(event, CampaignStarted)]
    if not started or started[0].question != wanted:
        return {}
    return judged(events)
