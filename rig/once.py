"""Memory of effects: each made once, whatever the number of threads that ask."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Once(Generic[K, V]):
    """key -> value, made on first demand. A failure is remembered and raised again."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[K, threading.Lock] = {}
        self._values: dict[K, V] = {}
        self._errors: dict[K, Exception] = {}

    def get(self, key: K, make: Callable[[], V]) -> V:
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key in self._errors:
                raise self._errors[key]
            if key not in self._values:
                try:
                    self._values[key] = make()
                except Exception as error:
                    self._errors[key] = error
                    raise
            return self._values[key]

    def put(self, key: K, value: V) -> None:
        """Remembers a value that was made elsewhere; a second one for a key is ignored."""
        self.get(key, lambda: value)

    def forget(self, key: K) -> None:
        """Lets go of a value; it is made again when it is asked for again."""
        with self._guard:
            self._values.pop(key, None)

    def __contains__(self, key: K) -> bool:
        with self._guard:
            return key in self._values
