"""The compress function by itself, from states that no message leads to."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

from rig.cases import BLOCK, Case, compress_case
from rig.checks import Check, Subject
from rig.checks.judge import judge, not_covered
from rig.makers import made_once
from rig.streams import stream
from rig.verdicts import Finding

ONES = (1 << 64) - 1
FLAGS = ((0, 0), (ONES, 0), (0, ONES), (ONES, ONES))
_STATES = 60
_SIGNS = tuple(1 << bit for bit in (0, 7, 8, 31, 32, 33, 63))


@made_once
def cases(seed: int) -> Iterator[Case]:
    """Random states under all flags, counts of blocks and increments."""
    chance = random.Random(f"compress {seed}")  # noqa: S311 - repeatable, not secret
    for number in range(_STATES):
        h = stream("lcg", chance.getrandbits(64), 64)
        data = stream("lcg", chance.getrandbits(16), BLOCK * (number % 5 + 1))
        t = (chance.getrandbits(64), chance.getrandbits(64))
        for f in FLAGS:
            yield compress_case(h, data, t=t, f=f)
        # the two states that update and final reach, for cores that reach no others
        yield compress_case(h, data, t=(BLOCK * number, 0))
        yield compress_case(h, data.cut_to(BLOCK), t=(BLOCK * number, 0), f=(ONES, 0))
    yield from _increments(chance)
    yield from _single_bits()
    yield from _extremes()


def _increments(chance: random.Random) -> Iterator[Case]:
    for inc in range(BLOCK + 1):
        h = stream("lcg", chance.getrandbits(32), 64)
        f = FLAGS[inc % 2]
        yield compress_case(h, stream("lcg", inc % 8, BLOCK), t=(inc << 20, 0), f=f, inc=inc)


def _single_bits() -> Iterator[Case]:
    """One bit set in a counter or flag word: which half of a word a core forgets."""
    h, block = stream("lcg", 1, 64), stream("inc", 3, BLOCK)
    for bit in _SIGNS:
        for pair in ((bit, 0), (0, bit)):
            yield compress_case(h, block, t=pair)
            yield compress_case(h, block, f=pair)


def _extremes() -> Iterator[Case]:
    """States and blocks of zeros and of ones: carries everywhere or nowhere."""
    for state, content, word in product((0, 255), (0, 255), (0, ONES)):
        h, block = stream("byte", state, 64), stream("byte", content, BLOCK)
        for f in FLAGS:
            yield compress_case(h, block, t=(word, word), f=f)


def _run(subject: Subject) -> Iterator[Finding]:
    if "compress" in subject.features:
        yield from judge("compress", subject, cases(subject.seed))
    else:
        yield not_covered("compress", "compress", "raw states")


CHECK = Check(
    "compress",
    "faults in words that real messages leave zero (f[1], t[1]), and in several blocks a call",
    30,
    _run,
    frozenset({"compress", "flags"}),
)
