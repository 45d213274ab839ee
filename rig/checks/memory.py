"""Memory that holds something else before a core comes to it; answers must not change."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rig.cases import BLOCK, Case, compress_case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.makers import made_once
from rig.streams import EMPTY, stream
from rig.verdicts import Finding

_FILLS = (0xA5, 0x00, 0xFF)
_STACKS = (None, 0x00, 0x5A, 0xFF)
_LENGTHS = (0, 1, 64, 128, 129, 256, 257)


def cases(raw: bool) -> list[Case]:
    """Short messages over all fillings of context and stack. raw: compress too."""
    made = []
    for fill in _FILLS:
        for stack in _STACKS:
            for length in _LENGTHS:
                message = stream("lcg", 10, length)
                for n, key in ((64, EMPTY), (20, EMPTY), (48, stream("lcg", 11, 17))):
                    made.append(hash_case(message, n=n, key=key, fill=fill, stack=stack))
            if raw:
                h = stream("lcg", 12, 64)
                for blocks in (1, 2):
                    data = stream("lcg", 10, blocks * BLOCK)
                    made.append(compress_case(h, data, fill=fill, stack=stack))
    return made


def disturbed(made: list[Case], seed: int) -> Iterator[Case]:
    """The same cases in another order, each after a case that leaves other things behind."""
    chance = random.Random(f"memory {seed}")  # noqa: S311 - repeatable, not secret
    mixed = made[:]
    chance.shuffle(mixed)
    for place, case in enumerate(mixed):
        if place % 8 == 0:
            length = chance.randrange(400, 1400)
            yield hash_case(stream("byte", 255, length), key=stream("byte", 255, 64), n=64)
        yield case


@made_once
def asked(raw: bool, seed: int) -> Iterator[Case]:
    """The cases in their order, then disturbed."""
    made = cases(raw)
    yield from made
    yield from disturbed(made, seed)


def _run(subject: Subject) -> Iterator[Finding]:
    raw = "compress" in subject.features
    yield from judge("memory", subject, asked(raw, subject.seed))


CHECK = Check(
    "memory",
    "use of memory that was not initialised, and state kept from one hash to the next",
    22,
    _run,
)
