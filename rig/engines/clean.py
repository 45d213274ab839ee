"""Removing what killed processes have left in an engine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import requests
from docker.errors import APIError, NotFound

from rig.engines.connect import translated
from rig.engines.image import LABEL, remove_dangling, remove_image
from rig.engines.owner import is_gone

REMOVAL_SECONDS = 10.0
"""How long a box that the engine is busy with is asked to go."""


@dataclass(frozen=True, slots=True)
class Swept:
    """Boxes that went; that a living process, or another machine, still owns; that stay."""

    removed: int = 0
    kept: int = 0
    stuck: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What went."""

    boxes: Swept = Swept()
    dangling: int = 0
    images: tuple[str, ...] = ()


def clean(client: Any, *, force: bool = False, images: bool = False) -> Cleaned:
    """Removes leftover boxes and untagged images; with ``images`` the toolchain images too.

    ``force`` takes boxes whose owner lives, or cannot be asked, as well. rig makes no volumes.
    """
    with translated(client.base_url):
        swept = sweep(client, force=force)
        removed = [
            tag for tag in toolchain_images(client) if images and remove_image(client, tag)
        ]
        return Cleaned(swept, remove_dangling(client), tuple(removed))


def toolchain_images(client: Any) -> tuple[str, ...]:
    """Tags of all images that rig has built, sorted."""
    found = client.images(filters={"label": LABEL})
    return tuple(sorted(tag for image in found for tag in image.get("RepoTags") or []))


def sweep(client: Any, *, force: bool) -> Swept:
    """Removes the boxes whose owner is gone; with ``force`` all of them."""
    removed = kept = 0
    stuck = []
    for container in client.containers(all=True, filters={"label": f"{LABEL}.owner"}):
        made_by = (container.get("Labels") or {}).get(f"{LABEL}.owner", "")
        if not (force or is_gone(made_by)):
            kept += 1
        elif remove_container(client, container["Id"]):
            removed += 1
        else:
            stuck.append(container["Id"])
    return Swept(removed, kept, tuple(stuck))


def leftovers(client: Any) -> int:
    """Boxes of processes that surely run no more."""
    with translated(client.base_url):
        found = client.containers(all=True, filters={"label": f"{LABEL}.owner"})
    return sum(is_gone((box.get("Labels") or {}).get(f"{LABEL}.owner", "")) for box in found)


def remove_container(client: Any, name: str) -> bool:
    """Removes it, running or not, and says whether it is gone.

    An engine refuses while it is busy with a box, and now and then misses that one has ended:
    it is asked again, for a while.
    """
    until = time.monotonic() + REMOVAL_SECONDS
    pause = 0.05
    while True:
        try:
            client.remove_container(name, force=True, v=True)
        except NotFound:
            return True
        except APIError:
            if time.monotonic() + pause > until:
                return False
        except (requests.exceptions.RequestException, OSError):
            return False  # the engine went away; whoever it comes back to sweeps
        else:
            return True
        time.sleep(pause)
        pause *= 2
