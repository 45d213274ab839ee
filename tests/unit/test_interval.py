"""The order-statistic interval of a median."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rig.measures.interval import median, rank


@pytest.mark.parametrize(("n", "k"), [(5, 0), (6, 1), (11, 2), (20, 6), (81, 32), (100, 40)])
def test_rank_is_the_tables(n, k):
    """Values of the usual table of the sign test at 95 %."""
    assert rank(n) == k


@given(st.integers(6, 200))
def test_rank_is_the_largest_that_keeps_the_confidence(n):
    k = rank(n)
    below = sum(math.comb(n, i) for i in range(k)) / 2**n
    assert 2 * below <= 0.05 < 2 * (below + math.comb(n, k) / 2**n)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=60))
def test_median_lies_within(figures):
    interval = median(figures)
    assert min(figures) <= interval.low <= interval.median <= interval.high <= max(figures)


def test_covers_the_true_median_often_enough():
    source = random.Random(7)
    hits = 0
    for _ in range(400):
        interval = median([source.expovariate(1.0) for _ in range(21)])
        hits += interval.low <= math.log(2) <= interval.high
    assert hits >= 0.93 * 400
