"""Messages longer than a 16-bit length; with ``--long``, a 16-bit count of blocks, and 4 GiB.

The guest never holds gigabytes: a long message is one of a megabyte many times over.
"""

from __future__ import annotations

from collections.abc import Iterator

from rig.cases import BLOCK, Case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.makers import made_once
from rig.streams import stream
from rig.verdicts import Finding

_16 = 1 << 16
_MIB = 1 << 20
_PAST_32 = (1 << 32) // _MIB + 1
"""So many MiB are more than a 32-bit length can say."""
_BLOCKS_16 = _16 * BLOCK // _MIB + 1
"""So many MiB have more blocks than 16 bits can count."""


@made_once
def cases() -> Iterator[Case]:
    """Around 64 KiB, in one piece and in two, and twice as much."""
    for length in (_16 - 1, _16, _16 + 1, _16 + 200, 2 * _16 + 1):
        yield hash_case(stream("inc", 1, length))
    yield hash_case(stream("inc", 1, _16 + 1), cut=(_16,))
    yield hash_case(stream("inc", 1, _16 + 1), cut=(1,), key=stream("inc", 2, 64))


def past_16_bits_of_blocks() -> Case:
    """9 MiB in one piece."""
    return hash_case(stream("lcg", 1, _MIB), map=_BLOCKS_16)


def past_4_gib(bits: int) -> Iterator[Case]:
    """A minute or two of work each. bits: of a length; one of 32 cannot say so much at once.

    In many pieces, none of which ends with a block, and in one.
    """
    yield hash_case(stream("lcg", 1, _MIB + 1), rep=_PAST_32)
    if bits == 64:
        yield hash_case(stream("lcg", 1, _MIB), map=_PAST_32)


def _run(subject: Subject) -> Iterator[Finding]:
    yield from judge("long", subject, cases())
    if subject.long:
        bits = subject.setup.target.bits
        longest = [past_16_bits_of_blocks(), *past_4_gib(bits)]
        yield from judge("long", subject, longest, shrink=False)


CHECK = Check("long", "lengths kept in a type that is too short", 60, _run)
