"""Signals and threads: where a signal may cut the main thread short, and where it may not.

An exception out of a signal's handler strikes anywhere, also where a pool or a future holds a
lock, which then nobody lets go of. So while threads are at work a signal is only noted, and is
raised at one place: between two looks whether a thread is done. These come often, since a
handler runs only once the main thread wakes up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

WAKE_SECONDS = 0.2
"""How long a signal can go unheard."""

_HELD = "held"
_NOTED = "noted"
_state = {_HELD: 0, _NOTED: 0}  # of the main thread, where Python runs all handlers


def interrupt() -> None:
    """What a signal's handler does: raises KeyboardInterrupt, or has it raised in time."""
    if _state[_HELD]:
        _state[_NOTED] = 1
    else:
        raise KeyboardInterrupt


@contextmanager
def uncut() -> Iterator[None]:
    """What is done within is cut by a signal only while :func:`as_done` waits."""
    if not _in_main():
        yield
        return
    _state[_HELD] += 1
    try:
        yield
    finally:
        _state[_HELD] -= 1
    if not _state[_HELD]:
        _raise_noted()


def as_done(futures: Iterable[Future[T]]) -> Iterator[Future[T]]:
    """Futures as they are done, like as_completed. In the main thread signals come through."""
    waiting = set(futures)
    while waiting:
        with uncut():
            done, waiting = wait(waiting, WAKE_SECONDS, FIRST_COMPLETED)
        if _in_main():
            _raise_noted()
        yield from done


def result_of(future: Future[T]) -> T:
    """What a future came to; in the main thread signals come through meanwhile."""
    (done,) = as_done([future])
    return done.result()


def _in_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _raise_noted() -> None:
    if _state[_NOTED]:
        _state[_NOTED] = 0
        raise KeyboardInterrupt
