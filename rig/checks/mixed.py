"""Random cases that mix everything but guard pages, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rig.cases import BLOCK, Case, Pair64, compress_case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.checks.splits import differences
from rig.makers import made_once
from rig.streams import Data, stream
from rig.verdicts import Finding

COUNT = 1200
ONES = (1 << 64) - 1
_STREAMS = 24
"""Few streams, long ones: making them is most of the work on this side."""


@made_once
def cases(seed: int, features: frozenset[str]) -> Iterator[Case]:
    """Hashes, and raw states where they can be had."""
    chance = random.Random(f"random {seed}")  # noqa: S311 - repeatable, not secret
    for _ in range(COUNT):
        if "compress" in features and chance.random() < 0.2:
            yield _raw(chance)
        else:
            yield _hash(chance, features)


def _hash(chance: random.Random, features: frozenset[str]) -> Case:
    length = chance.choice((chance.randrange(17), _near_block(chance), chance.randrange(900)))
    marks = sorted(chance.choices(range(length + 1), k=chance.choice((0, 0, 1, 2, 4))))
    return hash_case(
        _data(chance, length),
        n=chance.choice((64, 64, 32, chance.randrange(1, 65))),
        key=_data(chance, chance.choice((0, 0, 32, chance.randrange(65)))),
        cut=differences(marks),
        at=chance.choice((0, chance.randrange(64))),
        out=chance.choice((0, chance.randrange(64))),
        fill=chance.randrange(256),
        stack=chance.choice((None, None, chance.randrange(256))),
        ctr=_counter(chance) if "counter" in features and chance.random() < 0.1 else None,
    )


def _raw(chance: random.Random) -> Case:
    blocks = chance.choice((1, 1, 1, 2, 3, 4))
    return compress_case(
        _data(chance, 64),
        _data(chance, blocks * BLOCK),
        t=_counter(chance),
        f=(chance.choice((0, ONES)), chance.choice((0, 0, ONES))),
        inc=BLOCK if blocks > 1 else chance.randrange(BLOCK + 1),
        at=chance.randrange(64),
        fill=chance.randrange(256),
    )


def _near_block(chance: random.Random) -> int:
    return max(0, BLOCK * chance.randrange(1, 6) + chance.randrange(-2, 3))


def _counter(chance: random.Random) -> Pair64:
    low = (1 << chance.choice((7, 16, 31, 32, 33, 63, 64))) - chance.randrange(1, 400)
    return low & ONES, chance.choice((0, 0, 1, ONES, chance.getrandbits(64)))


def _data(chance: random.Random, length: int) -> Data:
    kind = chance.choice(("lcg", "lcg", "inc", "byte"))
    return stream(kind, chance.randrange(_STREAMS) * 11, length)


def _run(subject: Subject) -> Iterator[Finding]:
    yield from judge("random", subject, cases(subject.seed, subject.features))


CHECK = Check("random", "what nobody thought of: everything mixed by the seed", 50, _run)
