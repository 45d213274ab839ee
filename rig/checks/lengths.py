"""Messages of every length, with and without a key."""

from __future__ import annotations

from collections.abc import Iterator

from rig.cases import Case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.makers import made_once
from rig.streams import stream
from rig.verdicts import Finding

BOTH = 1100
"""Up to this length each message is hashed with and without a key."""
TO = 4200
"""Up to this length each is hashed at least in one of the two ways, which alternate."""
EDGES = tuple(
    edge + delta for edge in (5120, 8192, 12288, 16384) for delta in (-129, -128, -1, 0, 1)
)


@made_once
def cases(everything: bool = False) -> Iterator[Case]:
    """All of the lengths; everything: both ways throughout."""
    key = stream("lcg", 7, 64)
    for length in (*range(TO + 1), *EDGES):
        message = stream("lcg", 1, length)
        both = everything or length <= BOTH or length > TO
        if both or length % 2:
            yield hash_case(message)
        if both or not length % 2:
            yield hash_case(message, key=key)


def _run(subject: Subject) -> Iterator[Finding]:
    yield from judge("lengths", subject, cases(subject.long))


CHECK = Check(
    "lengths",
    "block boundaries, a last block filled too early or too late, padding, the key block",
    70,
    _run,
)
