"""Removing what killed processes have left in an engine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import requests
from docker.errors import APIError

from rig.engines.connect import translated
from rig.engines.image import LABEL, remove_dangling, remove_image
from rig.engines.owner import is_gone, owner

__all__ = ["clean", "is_gone", "leftovers", "owner", "remove_container", "sweep"]


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
