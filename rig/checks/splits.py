"""The same message in other pieces."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from itertools import combinations

from rig.cases import BLOCK, Case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.makers import made_once
from rig.streams import EMPTY, Data, stream
from rig.verdicts import Finding

_KEY = stream("lcg", 7, 33)
_EDGES = (0, 1, 63, 64, 127, 128, 129, 191, 255, 256, 257, 383, 384, 385)
_RANDOM = 300


@made_once
def cases(seed: int) -> Iterator[Case]:
    """Two and three pieces around block boundaries, byte by byte, and many at random."""
    for length in (1, 2, 127, 128, 129, 256, 257, 385):
        message = stream("lcg", 2, length)
        for cut in range(length + 1):
            yield hash_case(message, cut=(cut,), key=_KEY if cut % 4 == 3 else EMPTY)
    for length in (128, 257, 300, 384, 385):
        yield from _three(stream("lcg", 2, length))
    for piece in (1, 3, 127, 128, 129):
        for key in (EMPTY, _KEY):
            message = stream("lcg", 2, 515)
            yield hash_case(message, cut=(piece,) * (515 // piece), key=key)
    yield from _many(random.Random(f"splits {seed}"))  # noqa: S311 - repeatable, not secret


def _three(message: Data) -> Iterator[Case]:
    edges = [edge for edge in _EDGES if edge <= message.length]
    for first, second in combinations(edges, 2):
        yield hash_case(message, cut=(first, second - first))
        yield hash_case(message, cut=(first, 0, second - first), key=_KEY)


def _many(chance: random.Random) -> Iterator[Case]:
    for _ in range(_RANDOM):
        length = chance.randrange(1, 6 * BLOCK)
        marks = sorted(chance.choices(range(length + 1), k=chance.randrange(1, 9)))
        key = stream("lcg", 7, chance.choice((0, 0, 1, 64)))
        yield hash_case(stream("lcg", 2, length), cut=differences(marks), key=key)


def differences(marks: Iterable[int]) -> list[int]:
    """Lengths of the pieces that end at these places."""
    pieces, last = [], 0
    for mark in marks:
        pieces.append(mark - last)
        last = mark
    return pieces


def _run(subject: Subject) -> Iterator[Finding]:
    yield from judge("splits", subject, cases(subject.seed))


CHECK = Check(
    "splits", "the buffer between two updates: fill level, empty pieces, whole blocks", 45, _run
)
