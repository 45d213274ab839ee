"""rig matrix: the setups as jobs for continuous integration."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rig.cli import options
from rig.errors import ExitCode

if TYPE_CHECKING:
    from rig.catalog import Catalog
    from rig.model import Setup


class Format(StrEnum):
    """Who reads it."""

    GITHUB = "github"
    GITLAB = "gitlab"
    JSON = "json"


def matrix(
    on: options.On = None,
    *,
    profile: options.Profile = None,
    shards: Annotated[
        int, typer.Option("--shards", min=1, max=256, metavar="N", help="So many jobs.")
    ] = 3,
    form: Annotated[Format, typer.Option("--format", help="Who reads it.")] = Format.JSON,
) -> int:
    """Print the chosen setups as jobs, a shard each, with the images they need.

    Shards are blocks of neighbours in the order of rig list setups, as --shard K/N takes them.

    Example:
      rig matrix --on 'i386/*' --shards 2 --format github
    """
    from rig.config import find  # noqa: PLC0415 - loads the catalog

    project = find()
    known = project.catalog
    globs, flags = on or project.settings.setups, profile or project.settings.profile
    jobs = _jobs(known, known.setups(globs, flags), shards)
    print(_FORMATS[form](jobs))
    return ExitCode.GOOD


def _jobs(known: Catalog, setups: Sequence[Setup], count: int) -> list[dict[str, Any]]:
    """A job a shard; never more shards than setups."""
    from rig.shards import Shard, share  # noqa: PLC0415
    from rig.toolchains import image_spec, image_tag  # noqa: PLC0415

    total = min(count, len(setups))
    jobs = []
    for index in range(1, total + 1):
        shard = Shard(index, total)
        mine = share(setups, shard)
        specs = dict.fromkeys(image_spec(setup.target, setup.toolchain) for setup in mine)
        jobs.append(
            {
                "shard": shard.text,
                "index": index,
                "total": total,
                "setups": [setup.id for setup in mine],
                "images": [image_tag(spec, known.images, known.extra) for spec in specs],
            }
        )
    return jobs


def _json(jobs: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps(jobs, indent=2)


def _github(jobs: Sequence[Mapping[str, Any]]) -> str:
    """One line for ``fromJSON`` in a job's ``strategy.matrix``; values are strings."""
    rows = [
        {
            "shard": job["shard"],
            "index": str(job["index"]),
            "setups": " ".join(job["setups"]),
            "images": " ".join(job["images"]),
        }
        for job in jobs
    ]
    return json.dumps({"include": rows})


def _gitlab(jobs: Sequence[Mapping[str, Any]]) -> str:
    """A hidden job to extend, as YAML; JSON's strings are YAML's too."""
    lines = [
        "# Made by `rig matrix --format gitlab`.",
        ".rig-matrix:",
        "  parallel:",
        "    matrix:",
    ]
    for job in jobs:
        lines.append(f"      - RIG_SHARD: {json.dumps(job['shard'])}")
        lines.append(f"        RIG_SETUPS: {json.dumps(' '.join(job['setups']))}")
        lines.append(f"        RIG_IMAGES: {json.dumps(' '.join(job['images']))}")
    return "\n".join(lines)


_FORMATS: Mapping[Format, Callable[[Sequence[Mapping[str, Any]]], str]] = {
    Format.GITHUB: _github,
    Format.GITLAB: _gitlab,
    Format.JSON: _json,
}
