"""Who made a box, and removing what killed processes have left in an engine."""

from __future__ import annotations

import os
import platform
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import requests
from docker.errors import APIError

from rig.engines.connect import translated
from rig.engines.image import LABEL, remove_dangling, remove_image


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What went. kept: boxes that a living process, or another machine, still owns."""

    containers: int = 0
    kept: int = 0
    dangling: int = 0
    images: tuple[str, ...] = ()


def clean(client: Any, *, force: bool = False, images: bool = False) -> Cleaned:
    """Removes leftover boxes and untagged images; with ``images`` the toolchain images too.

    ``force`` takes boxes whose owner lives, or cannot be asked, as well. rig makes no volumes.
    """
    with translated(client.base_url):
        gone, kept = sweep(client, force=force)
        removed = [
            tag for tag in toolchain_images(client) if images and remove_image(client, tag)
        ]
        return Cleaned(gone, kept, remove_dangling(client), tuple(removed))


def toolchain_images(client: Any) -> tuple[str, ...]:
    """Tags of all images that rig has built, sorted."""
    found = client.images(filters={"label": LABEL})
    return tuple(sorted(tag for image in found for tag in image.get("RepoTags") or []))


def sweep(client: Any, *, force: bool) -> tuple[int, int]:
    """(removed, kept) boxes."""
    removed = kept = 0
    for container in client.containers(all=True, filters={"label": f"{LABEL}.owner"}):
        made_by = (container.get("Labels") or {}).get(f"{LABEL}.owner", "")
        if force or is_gone(made_by):
            remove_container(client, container["Id"])
            removed += 1
        else:
            kept += 1
    return removed, kept


def leftovers(client: Any) -> int:
    """Boxes of processes that surely run no more."""
    with translated(client.base_url):
        found = client.containers(all=True, filters={"label": f"{LABEL}.owner"})
    return sum(is_gone((box.get("Labels") or {}).get(f"{LABEL}.owner", "")) for box in found)


def remove_container(client: Any, name: str) -> None:
    """Removes it, running or not. What fails here is found again by the next sweep."""
    with suppress(APIError, requests.exceptions.RequestException, OSError):
        client.remove_container(name, force=True, v=True)


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
