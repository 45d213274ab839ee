"""Waiting for threads in a way that signals get through.

A signal that arrives as the main thread begins to wait for a lock, or that the system hands to
another thread, runs its handler only once the main thread wakes up: so it wakes up often.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

T = TypeVar("T")

WAKE_SECONDS = 0.2
"""How long a signal can go unheard."""


def as_done(futures: Iterable[Future[T]]) -> Iterator[Future[T]]:
    """Futures as they are done, like as_completed."""
    waiting = set(futures)
    while waiting:
        done, waiting = wait(waiting, WAKE_SECONDS, FIRST_COMPLETED)
        yield from done
