"""Time under the emulator, of two cores in turn: A B A B, medians of the pairs' ratios.

It is the emulator's time and says nothing of hardware: the code that QEMU makes of a core has
another size and another cost than the core. Reports label it so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rig.guest import Fault, Guest
from rig.measures.interval import Interval, median
from rig.verdicts import Measurement

LENGTH = 16384
"""Bytes of the message that is hashed, as in the kernel's own benchmark."""

PROCESSES = 3
"""Of each core: a process has luck of its own, where code and translations come to lie."""

PAIRS = 5
"""In each process."""

WANTED_NS = 10_000_000
"""One sample; long against the clock's steps, short against a change of the machine's mood."""

_PAYLOAD = re.compile(r"ns=(\d+) loops=(\d+)\Z")


class Timed(NamedTuple):
    """MB/s (10^6 bytes) of both, and after / before; or the reason why there is none."""

    before: Measurement
    after: Measurement
    ratio: Measurement


class NoTime(Exception):
    """The guest has no usable clock, or did not answer."""


def _sample(guest: Guest, loops: int) -> float:
    """Nanoseconds of one message."""
    (reply,) = guest.ask([f"time in=lcg:1:{LENGTH} loops={loops}"])
    if isinstance(reply, Fault):
        raise NoTime(f"{reply.verdict}: {reply.text}")
    found = _PAYLOAD.match(reply.payload) if reply.ok else None
    if found is None:
        raise NoTime(reply.payload)
    return max(int(found[1]), 1) / int(found[2])


def _loops(guest: Guest) -> int:
    """Messages that make one sample; the first run warms the emulator's translations."""
    _sample(guest, 2)
    return max(1, round(WANTED_NS / _sample(guest, 2)))


def samples(before: Guest, after: Guest, pairs: int = PAIRS) -> list[tuple[float, float]]:
    """Nanoseconds of one message, of both in turn; both guests are started already.

    Must not run beside anything else of rig's. Raises NoTime.
    """
    loops = [_loops(guest) for guest in (before, after)]
    return [(_sample(before, loops[0]), _sample(after, loops[1])) for _ in range(pairs)]


def evaluate(found: Sequence[tuple[float, float]]) -> Timed:
    """Medians over the pairs of all processes."""
    ratios = median([one / other for one, other in found])
    return Timed(
        _speed(median([LENGTH * 1000 / one for one, _ in found])),
        _speed(median([LENGTH * 1000 / other for _, other in found])),
        _measurement("emulated_ratio", ratios, "after/before"),
    )


def _speed(interval: Interval) -> Measurement:
    return _measurement("emulated_speed", interval, "MB/s")


def _measurement(name: str, interval: Interval, unit: str) -> Measurement:
    return Measurement(
        name,
        interval.median,
        unit,
        "the emulator's time, two guests in turn, three processes each, median of pairs",
        exact=False,
        note=f"at {LENGTH} bytes",
        low=interval.low,
        high=interval.high,
    )
