"""Every digest size with every key length."""

from __future__ import annotations

from collections.abc import Iterator

from rig.cases import Case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge
from rig.makers import made_once
from rig.streams import stream
from rig.verdicts import Finding


@made_once
def cases() -> Iterator[Case]:
    """64 digest sizes x 65 key lengths, on short messages that differ in length."""
    for size in range(1, 65):
        for length in range(65):
            message = stream("lcg", 3, (size * 7 + length) % 129)
            yield hash_case(message, n=size, key=stream("lcg", 5, length))


def _run(subject: Subject) -> Iterator[Finding]:
    yield from judge("digest-sizes", subject, cases())


CHECK = Check(
    "digest-sizes",
    "parameter block, digests cut short, a key padded or counted wrongly",
    40,
    _run,
)
