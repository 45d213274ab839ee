"""Everything a core touches, right beside memory that it may not touch."""

from __future__ import annotations

from collections.abc import Iterator

from rig.cases import BLOCK, Case, compress_case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge, not_covered
from rig.makers import joined
from rig.streams import stream
from rig.verdicts import Finding

SIDES = ("after", "before")
_LENGTHS = (0, 1, 7, 8, 9, 63, 64, 65, 127, 128, 129, 200, 255, 256, 257, 384, 1000)
_SIZES = (1, 7, 8, 20, 32, 33, 63)
_KEYS = (1, 7, 8, 31, 63, 64)


def hashes() -> Iterator[Case]:
    """Messages, keys, digests and the context beside an inaccessible page."""
    for side in SIDES:
        for length in _LENGTHS:
            message = stream("lcg", 8, length)
            yield hash_case(message, guard=side)
            yield hash_case(message, guard=side, key=stream("lcg", 9, 64))
            yield hash_case(message, guard=side, cut=(length // 2,))
        for size in _SIZES:
            yield hash_case(stream("lcg", 8, 129), guard=side, n=size)
        for length in _KEYS:
            yield hash_case(stream("lcg", 8, 3), guard=side, key=stream("lcg", 9, length))


def raw() -> Iterator[Case]:
    """Blocks and state beside an inaccessible page."""
    for side in SIDES:
        for blocks in (1, 2, 3, 5):
            h = stream("lcg", blocks, 64)
            yield compress_case(h, stream("lcg", 8, blocks * BLOCK), guard=side)


def _run(subject: Subject) -> Iterator[Finding]:
    if "guard" not in subject.features:
        yield not_covered("guards", "guard", "pages beside the data")
        return
    makers = [hashes]
    if "compress" in subject.features:
        makers.append(raw)
    else:
        yield not_covered("guards", "compress", "guarded blocks and state")
    yield from judge("guards", subject, joined(*makers))


# the last one, though cheap: after a few crashes a guest is given up and asked nothing more
CHECK = Check(
    "guards",
    "reading or writing beyond message, key, state or digest",
    80,
    _run,
    frozenset({"compress", "guard"}),
)
