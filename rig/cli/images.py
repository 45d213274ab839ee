"""rig images: makes toolchain images ready, nothing else."""

from __future__ import annotations

import os
import sys

from rig.cli import options
from rig.errors import ExitCode
from rig.report.layout import clean


def images(
    on: options.On = None,
    toolchain: options.Toolchains = None,
    stale_index: options.StaleIndex = False,
    engine: options.Engine = None,
) -> int:
    """Build the toolchain images of the chosen setups, one after another.

    Images that are there already are left as they are.

    Examples:
      rig images --on arm32
      rig images --toolchain sid/gcc-15 --stale-index
    """
    from rig.cli.planning import chosen_toolchains  # noqa: PLC0415
    from rig.cli.running import lab_of  # noqa: PLC0415
    from rig.config import find  # noqa: PLC0415 - loads what builds images
    from rig.report.progress import open_progress  # noqa: PLC0415
    from rig.toolchains import image_spec  # noqa: PLC0415

    project = find()
    toolchains = chosen_toolchains(project.catalog, toolchain or (), stale_index)
    setups = project.catalog.setups(on or project.settings.setups, None, toolchains)
    one_an_image = {image_spec(s.target, s.toolchain): s for s in setups}
    with (
        open_progress(sys.stderr, os.environ) as progress,
        lab_of(options.engine_name(engine), progress, jobs=1) as lab,
    ):
        made = [(s.target.name, lab.ready(s)) for s in one_an_image.values()]
    for target, ready in made:
        print(clean(f"{target}  {ready.tag}  {ready.id}"))
    return ExitCode.GOOD
