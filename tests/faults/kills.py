"""Kills of a running compare at random moments, a few here, a hundred in tests/full."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Sequence
from pathlib import Path

from faults import Place, Process, rig

from rig.journal import read
from rig.report.document import load
from rig.store import Store

WORDS = ("compare", "--on", "x86_64/gcc/user", "--checks", "vectors,lengths", "--no-time")


def kill_at_random(place: Place, report: Path, engine: str, rounds: int, seed: int) -> None:
    """After each kill all journals and the report must parse, and the next run must complete.

    Every fourth run begins with an empty store, so that building is among what is cut. A run
    that had ended before its moment came does not count.
    """
    chance = random.Random(seed)
    words = [*WORDS, "--engine", engine, "--json", str(report)]
    cold, warm = (_complete(place, words, report) for _ in range(2))
    killed = tries = 0
    while killed < rounds:
        tries += 1
        assert tries < 4 * rounds + 20, "runs end before they can be killed"
        empty = tries % 4 == 3
        if empty:
            Store(place.cache).clear()
        process = Process(words, place.environ())
        time.sleep(chance.uniform(0.0, cold if empty else warm))
        process.signal(signal.SIGKILL)
        killed += process.end().code == -signal.SIGKILL
        assert load(report).complete  # the old one or the new one, never a part
        for journal in (place.cache / "runs").glob("*.jsonl"):
            read(journal)
        _complete(place, [*words, *(["--resume"] if tries % 2 else [])], report)


def _complete(place: Place, words: Sequence[str], report: Path) -> float:
    """One run to its end; returns its seconds, from which moments of death are drawn."""
    begun = time.monotonic()
    done = rig(place, *words)
    assert done.code == 0, done.err
    assert load(report).complete
    return time.monotonic() - begun
