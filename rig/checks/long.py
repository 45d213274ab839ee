"""Messages longer than a 16-bit length; with ``--long``, than a 32-bit one."""

from __future__ import annotations

from collections.abc import Iterator

from rig.cases import BLOCK, Case, hash_case, made_once
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.streams import stream
from rig.verdicts import Finding

_16 = 1 << 16
_32 = 1 << 32


@made_once
def cases() -> Iterator[Case]:
    """Around 64 KiB, in one piece and in two, and twice as much."""
    for length in (_16 - 1, _16, _16 + 1, _16 + 200, 2 * _16 + 1):
        yield hash_case(stream("inc", 1, length))
    yield hash_case(stream("inc", 1, _16 + 1), cut=(_16,))
    yield hash_case(stream("inc", 1, _16 + 1), cut=(1,), key=stream("inc", 2, 64))


def past_4_gib() -> Iterator[Case]:
    """Minutes of work, and memory for the whole message twice over."""
    yield hash_case(stream("inc", 1, _32 + 1))
    yield hash_case(stream("byte", 3, _32 + BLOCK), cut=(BLOCK,))


def _run(subject: Subject) -> Iterator[Finding]:
    yield from judge("long", subject, cases())
    if subject.long:
        yield from judge("long", subject, past_4_gib(), shrink=False)


CHECK = Check("long", "lengths kept in a type that is too short", 60, _run)
