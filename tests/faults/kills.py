"""Kills of a running compare at random moments, a few here, a hundred in tests/full."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

from faults import Place, Process, rig

from rig.journal import read
from rig.report.document import load

WORDS = ("compare", "--on", "x86_64/gcc/user", "--checks", "vectors,lengths", "--no-time")


def kill_at_random(place: Place, report: Path, engine: str, rounds: int, seed: int) -> int:
    """After each kill all journals and the report must parse, and the next run must complete.

    Every fourth run begins with an empty store, so that building is among what is cut.
    Returns how many runs were killed before their end.
    """
    chance = random.Random(seed)
    words = [*WORDS, "--engine", engine, "--json", str(report)]
    begun = time.monotonic()
    assert rig(place, *words).code == 0
    span = time.monotonic() - begun
    killed = 0
    for number in range(rounds):
        if number % 4 == 3:
            rig(place, "clean", "--all") if engine == "docker" else _clear(place)
        process = Process(words, place.environ())
        time.sleep(chance.uniform(0.0, span))
        process.signal(signal.SIGKILL)
        killed += process.end().code == -signal.SIGKILL
        assert load(report).complete  # the old one or the new one, never a part
        for journal in (place.cache / "runs").glob("*.jsonl"):
            read(journal)
        done = rig(place, *words, *(["--resume"] if number % 2 else []))
        assert done.code == 0, done.err
        assert load(report).complete
    return killed


def _clear(place: Place) -> None:
    from rig.store import Store

    Store(place.cache).clear()
