"""Deadlines: how long a guest may be silent, by the work it was given."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rig.errors import ConfigError

SCALE_VARIABLE = "RIG_TIMEOUT_SCALE"

_KEPT = 256
_LENGTHS = re.compile(r"\b(?:in|key|h)=\w+:\d+:(\d{1,12})\b")
_TIMES = re.compile(r"\b(?:loops|rep|map)=(\d{1,13})\b")


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds before a guest counts as hung, from its last byte; all are scaled.

    start: for its hello. case: for one case. byte: for each byte that a case hashes, a quarter
    of a megabyte a second, what a checked build reaches under emulation on a busy machine.
    """

    start: float = 20.0
    case: float = 5.0
    byte: float = 4e-6

    def of(self, cases: Sequence[str]) -> tuple[float, float]:
        """(seconds of silence, seconds for all) of a batch."""
        work = self.byte * _work(tuple(cases))
        return timeout_scale() * (self.case + work), timeout_scale() * (
            self.case * len(cases) + work
        )


@lru_cache(_KEPT)
def _work(cases: tuple[str, ...]) -> int:
    """Bytes that cases hash, about. Kept, since every core is asked the same."""
    text = "\n".join(cases)
    if _TIMES.search(text):
        return sum(_repeated(case) for case in cases)
    return len(text) + sum(map(int, _LENGTHS.findall(text)))


def _repeated(case: str) -> int:
    times = _TIMES.search(case)
    size = len(case) + sum(map(int, _LENGTHS.findall(case)))
    return size * int(times[1]) if times else size


def timeout_scale() -> float:
    """What every deadline is multiplied by: RIG_TIMEOUT_SCALE, 1 if unset."""
    text = os.environ.get(SCALE_VARIABLE, "") or "1"
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.0 < scale < 1e6:
        raise ConfigError(f"{SCALE_VARIABLE} must be a number above 0, not {text!r}")
    return scale
