"""Shards: which part of a matrix one of several machines takes.

Blocks of neighbours, since neighbours share an image; the same on every machine, since the
matrix has one order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from rig.errors import UsageError

T = TypeVar("T")

_TEXT = re.compile(r"([0-9]{1,4})/([0-9]{1,4})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Shard:
    """The ``index``-th of ``count`` parts; the first is 1."""

    index: int
    count: int

    @property
    def text(self) -> str:
        """``2/5``."""
        return f"{self.index}/{self.count}"


WHOLE = Shard(1, 1)


def parse_shard(text: str) -> Shard:
    """``2/5`` as a shard; no text is the whole. Raises UsageError."""
    if not text:
        return WHOLE
    found = _TEXT.match(text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"'{text}' is no shard", "for example 2/5: the second of five")
    return Shard(int(found[1]), int(found[2]))


def share(items: Sequence[T], shard: Shard) -> list[T]:
    """The shard's block. All blocks together are all items, each once; sizes differ by 1."""
    total = len(items)
    start = (shard.index - 1) * total // shard.count
    return list(items[start : shard.index * total // shard.count])
