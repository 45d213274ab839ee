"""rig build: objects and programs, as files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rig.cli import options
from rig.machine import CPUS


def build(
    cores: Annotated[
        list[str], typer.Argument(metavar="CORE", help="A built-in's name, a C file.")
    ],
    *,
    out: options.Out = Path("build"),
    on: options.On = None,
    profile: options.Profile = None,
    jobs: options.Jobs = CPUS,
    engine: options.Engine = None,
) -> int:
    """Build cores and write their objects and programs to a folder.

    Each setup gets a folder of its own: DIR/i386/gcc/kernel/rolled.o and rolled.

    Example:
      rig build rolled --on i386 --out out
    """
    from rig.cli.building import Place, build_all  # noqa: PLC0415 - loads what builds

    return build_all(cores, on or (), profile, Place(out, options.engine_name(engine), jobs))
