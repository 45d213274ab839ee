"""Input and output at every offset."""

from __future__ import annotations

from collections.abc import Iterator

from rig.cases import BLOCK, Case, compress_case, hash_case
from rig.checks import Check, Subject
from rig.checks.judge import judge, not_covered
from rig.makers import joined
from rig.streams import stream
from rig.verdicts import Finding


def hashes() -> Iterator[Case]:
    """All pairs of offsets 0 to 15; input offsets to 63; pieces that begin at odd places."""
    for at in range(16):
        for out in range(16):
            yield hash_case(stream("lcg", 6, 129 + at), at=at, out=out)
    for at in range(16, 64):
        yield hash_case(stream("lcg", 6, 300), at=at, n=at)
    for at in range(16):
        for first in (1, 3, 129):
            yield hash_case(stream("lcg", 6, 400), at=at, cut=(first, 130))


def raw() -> Iterator[Case]:
    """Blocks at every offset, without the buffer of update in between."""
    for at in range(64):
        h = stream("lcg", at % 4, 64)
        yield compress_case(h, stream("lcg", 6, BLOCK * (1 + at % 3)), at=at)


def _run(subject: Subject) -> Iterator[Finding]:
    makers = [hashes]
    if "compress" in subject.features:
        makers.append(raw)
    else:
        yield not_covered("alignment", "compress", "blocks at every offset")
    yield from judge("alignment", subject, joined(*makers))


CHECK = Check(
    "alignment",
    "loads and stores that need an alignment which the contract does not promise",
    25,
    _run,
    frozenset({"compress"}),
)
