"""The work of rig build: objects and programs from the lab into a folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from rig import config
from rig.build import Built, Refused
from rig.cli.planning import load_cores
from rig.cli.running import lab_of
from rig.errors import ExitCode, StoreFault
from rig.lab import Lab
from rig.model import Cell
from rig.report.layout import clean, clean_lines, command
from rig.report.progress import open_progress
from rig.toolchains import image_spec

_LINES = 20
"""Lines shown of what a compiler said."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where to build and where to put it."""

    out: Path
    engine: str
    jobs: int


def build_all(
    specs: Sequence[str], globs: Sequence[str], profile: str | None, place: Place
) -> int:
    """Builds every core on every chosen setup; prints the path of each object.

    A core that a compiler refuses is told on standard error and makes the exit code 1; the
    others are built all the same.
    """
    project = config.find()
    known, settings = project.catalog, project.settings
    cores = load_cores(specs, known)
    cells = [
        Cell(setup, core)
        for setup in known.setups(globs or settings.setups, profile or settings.profile)
        for core in cores
    ]
    code = ExitCode.GOOD
    with (
        open_progress(sys.stderr, os.environ) as progress,
        lab_of(place.engine, progress, place.jobs) as lab,
    ):
        results = list(_results(lab, cells))
    for cell, result in results:
        if isinstance(result, Refused):
            _tell(cell, result)
            code = ExitCode.CORE_FAILED
        else:
            print(clean(str(_write(place.out, cell, result))))
    return code


def _results(lab: Lab, cells: Sequence[Cell]) -> Iterator[tuple[Cell, Built | Refused]]:
    """Cells of one image are built together, in one box."""
    for _, group in groupby(
        cells, lambda cell: image_spec(cell.setup.target, cell.setup.toolchain)
    ):
        together = list(group)
        lab.build(together)
        for cell in together:
            yield cell, lab.result(cell)


def _write(out: Path, cell: Cell, built: Built) -> Path:
    """Writes ``OUT/<setup>/<core>.o`` and ``OUT/<setup>/<core>``; returns the object's path."""
    folder = out / cell.setup.id
    path = folder / f"{cell.core.name}.o"
    program = folder / cell.core.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(built.object)
        program.write_bytes(built.program)
        program.chmod(0o755)
    except OSError as error:
        raise StoreFault(
            f"{folder}: cannot be written: {error.strerror}", "Name another folder with --out."
        ) from error
    return path


def _tell(cell: Cell, refused: Refused) -> None:
    lines = [f"rig: {clean(cell.id)}: {clean(refused.message)}"]
    lines += [f"  > {line}" for line in clean_lines(refused.output)[:_LINES]]
    lines += [f"  {clean(refused.hint)}"] if refused.hint else []
    print("\n".join([*lines, *command(refused.command, "  ")]), file=sys.stderr)
