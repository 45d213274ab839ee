"""The 128-bit byte counter where its words wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rig.cases import BLOCK, Case, Pair64, compress_case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge, not_covered
from rig.makers import joined
from rig.streams import stream
from rig.verdicts import Finding

ONES = (1 << 64) - 1
_STEPS = (-257, -256, -200, -129, -128, -127, -1, 0)
_WRAPS = (1 << 31, 1 << 32, 1 << 63, 1 << 64)
_HIGHS = (0, 1, (1 << 32) - 1, 1 << 63, ONES)
_LENGTHS = (0, 1, 127, 128, 129, 200, 300)


def starts() -> Iterator[Pair64]:
    """Counters a little below each wrap, under some high words; the last are the top."""
    for wrap in _WRAPS:
        for step in _STEPS:
            low = (wrap + step) & ONES
            highs = _HIGHS if wrap == 1 << 64 else _HIGHS[:1]
            for high in highs:
                yield low, high


def presets() -> Iterator[Case]:
    """Whole hashes that go on from a preset counter."""
    for place, start in enumerate(starts()):
        for length in _LENGTHS:
            yield hash_case(stream("lcg", 4, length), ctr=start, n=64 if place % 3 else 32)


def raw() -> Iterator[Case]:
    """The same counters in a raw state, several blocks and odd increments."""
    for place, start in enumerate(starts()):
        h = stream("lcg", place % 8, 64)
        for blocks in (1, 2, 3):
            yield compress_case(h, stream("lcg", 4, blocks * BLOCK), t=start)
        for inc in (0, 1, 127):
            yield compress_case(h, stream("lcg", 4, BLOCK), t=start, inc=inc, f=(ONES, 0))


def _run(subject: Subject) -> Iterator[Finding]:
    makers: list[Callable[[], Iterator[Case]]] = []
    if "counter" in subject.features:
        makers.append(presets)
    else:
        yield not_covered("counters", "counter", "preset counters")
    if "compress" in subject.features:
        makers.append(raw)
    else:
        yield not_covered("counters", "compress", "raw counters")
    if makers:
        yield from judge("counters", subject, joined(*makers))


CHECK = Check(
    "counters",
    "a carry lost between the words of the counter, or a counter of 32 bits",
    35,
    _run,
    frozenset({"compress", "counter"}),
)
