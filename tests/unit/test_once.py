"""Each effect once, whatever the number of threads."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from rig.once import Once


def test_many_threads_make_a_value_once():
    made = []
    start = threading.Barrier(8)
    once: Once[str, int] = Once()

    def ask(_):
        start.wait()
        return once.get("key", lambda: made.append(1) or len(made))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {1}
    assert made == [1]


def test_keys_do_not_wait_for_each_other():
    once: Once[str, int] = Once()
    assert once.get("outer", lambda: once.get("inner", lambda: 1) + 1) == 2


def test_a_failure_is_remembered():
    once: Once[str, int] = Once()
    tries = []

    def fail():
        tries.append(1)
        raise ValueError("no")

    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            once.get("key", fail)
    assert tries == [1]
    assert "key" not in once
