"""The median of repeated figures, with an interval that assumes no distribution.

The k-th smallest and k-th largest of n figures enclose the median with a probability that the
binomial distribution alone gives (sign test; e.g. Conover, Practical Nonparametric Statistics).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Interval(NamedTuple):
    """median, with low and high enclosing it at ``confidence`` or more."""

    median: float
    low: float
    high: float


def rank(n: int, confidence: float = 0.95) -> int:
    """The largest k for which the k-th figures from both ends enclose the median.

    0 when n is too small for that confidence (fewer than 6 figures at 0.95).
    """
    allowed = (1 - confidence) / 2
    tail = 0.0
    for k in range(n // 2 + 1):
        tail += math.comb(n, k) / 2**n
        if tail > allowed:
            return k
    return n // 2


def median(figures: Sequence[float], confidence: float = 0.95) -> Interval:
    """The median of at least one figure; the whole range where there are too few."""
    ordered = sorted(figures)
    n = len(ordered)
    middle = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    k = max(rank(n, confidence), 1)
    return Interval(middle, ordered[k - 1], ordered[n - k])
