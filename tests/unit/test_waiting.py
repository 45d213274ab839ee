"""Signals while threads work: noted at once, raised in one place, never lost."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from rig.waiting import as_done, interrupt, uncut


@pytest.fixture(autouse=True)
def _handler():
    old = signal.signal(signal.SIGUSR1, lambda _number, _frame: interrupt())
    yield
    signal.signal(signal.SIGUSR1, old)


def send() -> None:
    os.kill(os.getpid(), signal.SIGUSR1)


def test_outside_a_signal_strikes_at_once():
    with pytest.raises(KeyboardInterrupt):
        send()


def test_what_must_not_be_cut_is_done_first():
    done = []

    def work() -> None:
        with uncut():
            with uncut():
                send()
                done.append("inner")
            done.append("outer")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["inner", "outer"]


def test_a_wait_for_threads_is_where_it_comes_through():
    go_on = threading.Event()
    with ThreadPoolExecutor(1) as pool, uncut():
        waiting = pool.submit(go_on.wait, 60)
        send()
        try:
            with pytest.raises(KeyboardInterrupt):
                list(as_done([waiting]))
        finally:
            go_on.set()
    assert waiting.result() is True


def test_without_a_hold_too():
    go_on = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(go_on.wait, 60)
        threading.Timer(0.1, send).start()
        try:
            with pytest.raises(KeyboardInterrupt):
                list(as_done([waiting]))
        finally:
            go_on.set()


def test_other_threads_neither_hold_nor_raise():
    def work() -> list[object]:
        with uncut(), ThreadPoolExecutor(1) as inner:
            return [one.result() for one in as_done([inner.submit(int, "7")])]

    with uncut():
        with ThreadPoolExecutor(1) as pool:
            send()
            assert pool.submit(work).result() == [7]
        with pytest.raises(KeyboardInterrupt), ThreadPoolExecutor(1) as pool:
            list(as_done([pool.submit(int)]))
