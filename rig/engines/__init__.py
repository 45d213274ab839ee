"""Engines: where commands run. A container engine, or this machine.

An engine knows nothing of BLAKE2b, compilers or QEMU: it prepares a place, opens a process
in a box of its own and hands back a channel to it. Running many build jobs in one box
(:mod:`rig.engines.box`) stands on ``open`` alone, so every engine can do it the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from rig.model import Exit, Files, ImageSpec, Limits, Ready

Emit = Callable[[str], None]
"""Takes one line of progress, without a line end."""


class Channel(Protocol):
    """A running process in a box: two byte streams in conversation, stderr apart."""

    def fileno(self) -> int:
        """Descriptor to poll; readable when :meth:`read` may have something."""
        ...

    def read(self, size: int, timeout: float) -> bytes:
        """Up to ``size`` bytes of stdout; ``b""`` at end of file.

        Waits up to ``timeout`` seconds (0: not at all); raises TimeoutError when nothing came.
        A box that vanished reads as end of file; :meth:`close` then tells.
        """
        ...

    def write(self, data: bytes, timeout: float) -> int:
        """Writes what fits within ``timeout`` seconds; returns how many bytes went.

        Never blocks past the timeout; 0 means nothing could be written. A closed peer raises
        BrokenPipeError.
        """
        ...

    def end_input(self) -> None:
        """No more input: the process reads end of file."""
        ...

    def stderr(self) -> bytes:
        """The last 64 KiB of standard error so far."""
        ...

    def close(self, grace: float = 0.0) -> Exit:
        """Waits up to ``grace`` seconds for the end, then kills, reaps and removes the box.

        Idempotent; the second call returns the same Exit.
        """
        ...


class Engine(Protocol):
    """Where commands run."""

    name: str
    isolated: bool
    """False when nothing contains a hostile core; the header then says so."""

    def describe(self) -> str:
        """One line for headers: name, version, address."""
        ...

    def prepare(self, spec: ImageSpec, emit: Emit) -> Ready:
        """Makes the place ready (builds the image if need be). Safe between processes."""
        ...

    def open(self, ready: Ready, argv: Sequence[str], files: Files, limits: Limits) -> Channel:
        """Starts ``argv`` in a fresh box, in a work folder that holds ``files`` (mode 0755)."""
        ...

    def close(self) -> None:
        """Kills and removes whatever is still open."""
        ...
