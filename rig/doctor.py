"""What rig stands on, looked at piece by piece: a line each, with one line of advice."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from rig.catalog import Catalog
from rig.engines import Engine
from rig.engines.box import Workshop
from rig.errors import EnvironmentFault, ExitCode, RigError
from rig.model import ImageSpec, Limits, Setup, Toolchain, ToolchainFacts
from rig.report.layout import clean
from rig.store import default_cache
from rig.toolchains import image_spec, make_engine, read_all_facts

SCARCE = 2 << 30
"""Bytes of free disk below which images may not fit."""

TOO_LITTLE = 100 << 20
"""Bytes below which not even objects do."""


class State(StrEnum):
    GOOD = "ok"
    NOTE = "note"
    BAD = "BAD"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at. advice: what to do, empty when it is good."""

    what: str
    state: State
    found: str
    advice: str = ""


def examine(engine: str, known: Catalog, setups: Sequence[Setup]) -> Iterator[Line]:
    """All lines, as they are found; nothing is built, pulled or changed."""
    yield _cache()
    yield _disk("disk of the cache", _existing(default_cache()))
    try:
        opened = make_engine(engine, known.images, default_cache())
    except RigError as error:
        yield Line("engine", State.BAD, error.what, error.hint)
        return
    try:
        yield from _engine(opened, known, setups)
    finally:
        opened.close()


def exit_code(lines: Sequence[Line]) -> ExitCode:
    """3 when anything is bad; notes are no failure."""
    bad = any(line.state is State.BAD for line in lines)
    return ExitCode.ENVIRONMENT if bad else ExitCode.GOOD


def told(line: Line) -> str:
    """``ok    engine: Docker 28.0``, with the advice below it."""
    text = f"{line.state.value:5} {line.what}: {clean(line.found)}"
    return f"{text}\n      {clean(line.advice)}" if line.advice else text


# ------------------------------------------------------------------------------- this disk


def _cache() -> Line:
    """Written to, not asked for permission bits: those do not bind root, nor tell of quotas."""
    folder = default_cache()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        advice = "Set RIG_CACHE to a folder that you own."
        return Line("cache", State.BAD, f"{folder}: {error.strerror}", advice)
    return Line("cache", State.GOOD, str(folder))


def _existing(folder: Path) -> Path:
    return next(one for one in (folder, *folder.absolute().parents) if one.exists())


def _disk(what: str, folder: Path) -> Line:
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Line(what, State.NOTE, f"{folder}: {error.strerror}")
    found = f"{free / (1 << 30):.1f} GB free at {folder}"
    if free < TOO_LITTLE:
        return Line(what, State.BAD, found, "Free some space; `rig clean --all` helps.")
    if free < SCARCE:
        advice = "An image takes more than 1 GB; `rig clean --all --images` removes rig's own."
        return Line(what, State.NOTE, found, advice)
    return Line(what, State.GOOD, found)


# ------------------------------------------------------------------------------- the engine


def _engine(engine: Engine, known: Catalog, setups: Sequence[Setup]) -> Iterator[Line]:
    try:
        yield Line("engine", State.GOOD, engine.describe())
        client = getattr(engine, "client", None)
        specs = dict.fromkeys(image_spec(setup.target, setup.toolchain) for setup in setups)
        if client is None:
            present = list(specs)
        else:
            yield from _of_containers(client, specs)
            images = [_image(client, known, spec) for spec in specs]
            yield from (line for line, _ in images)
            present = [spec for spec, (_, there) in zip(specs, images, strict=True) if there]
        for spec in present:
            of_spec = [s for s in setups if image_spec(s.target, s.toolchain) == spec]
            yield _tools(engine, spec, of_spec)
    except RigError as error:
        yield Line("engine", State.BAD, error.what, error.hint)


def _of_containers(client: Any, specs: dict[ImageSpec, None]) -> Iterator[Line]:
    """The base images, leftovers, and the engine's own disk where it is this machine's."""
    from rig.engines.clean import leftovers  # noqa: PLC0415 - docker loads slowly
    from rig.engines.image import is_there  # noqa: PLC0415

    for base in dict.fromkeys(f"debian:{spec.release}-slim" for spec in specs):
        if is_there(client, base):
            yield Line("base image", State.GOOD, base)
        else:
            advice = "It is pulled when needed; where no registry answers, `make images`."
            yield Line("base image", State.NOTE, f"{base} is not here", advice)
    root = Path(str(client.info().get("DockerRootDir", "")))
    if str(client.base_url).startswith("http+docker://") and os.path.isdir(root):
        yield _disk("disk of the engine", root)
    dead = leftovers(client)
    if dead:
        found = f"{dead} boxes of runs that were killed"
        yield Line("leftovers", State.NOTE, found, "`rig clean` removes them.")


def _image(client: Any, known: Catalog, spec: ImageSpec) -> tuple[Line, bool]:
    from rig.engines.image import is_there  # noqa: PLC0415
    from rig.toolchains import image_tag  # noqa: PLC0415

    tag = image_tag(spec, known.images)
    if is_there(client, tag):
        return Line("image", State.GOOD, tag), True
    advice = f"It is built when needed; now: rig images --on {spec.target}"
    return Line("image", State.NOTE, f"{tag} is not built yet", advice), False


def _tools(engine: Engine, spec: ImageSpec, setups: Sequence[Setup]) -> Line:
    """Compilers and emulator of one target, asked for their versions where they are."""
    target = setups[0].target
    wanted: dict[Toolchain, tuple[str, ...]] = {setup.toolchain: () for setup in setups}
    try:
        ready = engine.prepare(spec, lambda _line: None)
        with Workshop(engine, Limits()) as shop:
            facts = read_all_facts(shop, ready, target, wanted)
    except EnvironmentFault as error:
        return Line(f"tools of {target.name}", State.BAD, error.what, error.hint)
    return Line(f"tools of {target.name}", State.GOOD, _versions(list(facts.values())))


def _versions(facts: Sequence[ToolchainFacts]) -> str:
    compilers = [f"{one.toolchain.family} {one.version}" for one in facts]
    return ", ".join([*compilers, f"QEMU {facts[0].qemu}"])
