"""rig images: makes toolchain images ready, nothing else."""

from __future__ import annotations

import os
import sys

from rig.cli import options
from rig.errors import ExitCode
from rig.report.layout import clean


def images(
    on: options.On = None,
    engine: options.Engine = None,
) -> int:
    """Build the toolchain images of the chosen setups, one after another.

    Images that are there already are left as they are.

    Example:
      rig images --on arm32
    """
    from rig.cli.running import lab_of  # noqa: PLC0415
    from rig.config import find  # noqa: PLC0415 - loads what builds images
    from rig.report.progress import open_progress  # noqa: PLC0415

    project = find()
    setups = project.catalog.setups(on or project.settings.setups)
    one_a_target = {setup.target.name: setup for setup in setups}
    with (
        open_progress(sys.stderr, os.environ) as progress,
        lab_of(options.engine_name(engine), progress, jobs=1) as lab,
    ):
        made = {target: lab.ready(setup) for target, setup in one_a_target.items()}
    for target, ready in made.items():
        print(clean(f"{target}  {ready.tag}  {ready.id}"))
    return ExitCode.GOOD
