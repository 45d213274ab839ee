"""rig images: makes toolchain images ready, nothing else."""

from __future__ import annotations

import os
import sys

from rig.cli import options
from rig.errors import ExitCode
from rig.report.layout import clean


def images(
    on: options.On = None,
    engine: options.Engine = options.EngineName.DOCKER,
) -> int:
    """Build the toolchain images of the chosen setups, one after another.

    Images that are there already are left as they are.

    Example:
      rig images --on arm32
    """
    from rig import catalog  # noqa: PLC0415
    from rig.events import Progress  # noqa: PLC0415
    from rig.lab import open_engine  # noqa: PLC0415
    from rig.model import ImageSpec  # noqa: PLC0415
    from rig.report.progress import open_progress  # noqa: PLC0415
    from rig.store import default_cache  # noqa: PLC0415

    known = catalog.load()
    setups = known.setups(on or ())
    specs = {setup.target.name: ImageSpec(setup.target.name) for setup in setups}
    place = open_engine(engine.value, known, default_cache())
    try:
        for target, spec in specs.items():
            with open_progress(sys.stderr, os.environ) as progress:
                ready = place.prepare(spec, lambda line, tell=progress: tell(Progress(line)))
            print(clean(f"{target}  {ready.tag}  {ready.id}"))
    finally:
        place.close()
    return ExitCode.GOOD
