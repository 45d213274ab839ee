"""Which process made a box or a folder, and whether it still runs."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from functools import cache
from pathlib import Path


def owner() -> str:
    """The running process for a label: host, boot, process id and its start time."""
    return f"{_machine()}/{os.getpid()}/{_started(os.getpid())}"


def is_gone(made_by: str) -> bool:
    """Whether the process that :func:`owner` named surely runs no more.

    A process of another machine (a shared engine) cannot be asked about: not gone. After a
    reboot of this one everything is gone.
    """
    host, _, rest = made_by.partition("/")
    boot, _, rest = rest.partition("/")
    number, _, started = rest.partition("/")
    here, _, this_boot = _machine().partition("/")
    if host != here or not number.isdecimal():
        return False
    return boot != this_boot or _started(int(number)) != started


@cache
def _machine() -> str:
    """Host and process namespace / boot: process ids mean something only within these."""
    host = platform.node().replace("/", "-")
    with suppress(OSError):
        host += f"-{Path('/proc/self/ns/pid').stat().st_ino}"
    return f"{host}/{_text(Path('/proc/sys/kernel/random/boot_id'))[:8] or 'unknown'}"


def _started(number: int) -> str:
    """Start time of a process in clock ticks since boot; empty when there is none."""
    stat = _text(Path(f"/proc/{number}/stat"))
    if stat:
        state, *others = stat.rpartition(")")[2].split()
        # a zombie is over: its parent has not asked yet
        return "" if state in "ZX" else others[18]
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return ""
    except PermissionError:
        pass
    return "running"  # no /proc here (macOS)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
